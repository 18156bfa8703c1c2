import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanStatusCode,
  type TracerProvider,
} from '@opentelemetry/api';
import {
  type CallEvent,
  type HoldEndEvent,
  onLockEvents,
  type WaitEndEvent,
} from 'zk-locks/events';

interface TracedCall {
  /** The context of the caller. */
  readonly parent: Context;
  span: Span;
}

/**
 * Creates a span for every wait, and a sibling span for every hold, until it is stopped.
 *
 * @param withKeys whether spans have the key itself as well
 */
export function traceLocks(provider: TracerProvider, scope: string, withKeys: boolean): () => void {
  const tracer = provider.getTracer(scope);
  const calls = new Map<number, TracedCall>();
  const start = (what: 'wait' | 'hold', event: CallEvent, parent: Context): Span =>
    tracer.startSpan(
      `zk_lock ${what} ${event.pattern ?? event.kind}`,
      { attributes: attributesOf(event, withKeys) },
      parent,
    );
  const stopListening = onLockEvents({
    waitStart: (event) => {
      const parent = context.active();
      calls.set(event.id, { parent, span: start('wait', event, parent) });
    },
    waitEnd: (event) => {
      const call = calls.get(event.id);
      if (!call) return;
      // A granted call continues with its hold, except for an upgrade, which has no hold events.
      if (event.result !== 'granted' || event.kind === 'upgrade') calls.delete(event.id);
      endWait(call.span, event);
    },
    holdStart: (event) => {
      const call = calls.get(event.id);
      if (!call) return;
      call.span = start('hold', event, call.parent);
      if (event.fencingToken !== undefined) {
        call.span.setAttribute('zk_lock.fencing_token', String(event.fencingToken));
      }
    },
    holdEnd: (event) => {
      const call = calls.get(event.id);
      calls.delete(event.id);
      if (call) endHold(call.span, event);
    },
  });
  return () => {
    stopListening();
    for (const { span } of calls.values()) span.end();
    calls.clear();
  };
}

function attributesOf(
  { connection, kind, mode, pattern, label, take, key }: CallEvent,
  withKeys: boolean,
): Attributes {
  return {
    'zk_lock.connection': connection,
    'zk_lock.kind': kind,
    'zk_lock.mode': mode,
    ...(pattern !== undefined && { 'zk_lock.pattern': pattern }),
    ...(label !== undefined && { 'zk_lock.label': label }),
    ...(take !== undefined && { 'zk_lock.take': take }),
    ...(withKeys && { 'zk_lock.key': key }),
  };
}

function endWait(span: Span, { result, error }: WaitEndEvent): void {
  span.setAttribute('zk_lock.result', result);
  if (result !== 'granted' && result !== 'busy') {
    // The error's message contains the key, which users may want to keep out of traces.
    const code = typeof error === 'object' && error && 'code' in error ? error.code : undefined;
    if (typeof code === 'string') span.setAttribute('error.type', code);
    span.setStatus({ code: SpanStatusCode.ERROR, message: result });
  }
  span.end();
}

function endHold(span: Span, { result, lossReason }: HoldEndEvent): void {
  span.setAttribute('zk_lock.result', result);
  if (lossReason !== undefined) {
    span.setAttribute('error.type', 'LOCK_LOST');
    span.setStatus({ code: SpanStatusCode.ERROR, message: lossReason });
  }
  span.end();
}
