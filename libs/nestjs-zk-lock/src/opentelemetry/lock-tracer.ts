import {
  type Attributes,
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

/**
 * Creates a span for every wait, and a sibling span for every hold, until it is stopped.
 *
 * @param withKeys whether spans have the key itself as well
 */
export function traceLocks(provider: TracerProvider, scope: string, withKeys: boolean): () => void {
  const tracer = provider.getTracer(scope);
  const spans = new Map<number, Span>();
  // The events of a call are published in the context of its caller.
  const start = (what: 'wait' | 'hold', event: CallEvent): Span => {
    const span = tracer.startSpan(
      `zk_lock ${what} ${event.pattern ?? event.kind}`,
      { attributes: attributesOf(event, withKeys) },
      context.active(),
    );
    spans.set(event.id, span);
    return span;
  };
  const take = ({ id }: CallEvent): Span | undefined => {
    const span = spans.get(id);
    spans.delete(id);
    return span;
  };
  const stopListening = onLockEvents({
    waitStart: (event) => {
      start('wait', event);
    },
    waitEnd: (event) => {
      const span = take(event);
      if (span) endWait(span, event);
    },
    holdStart: (event) => {
      const span = start('hold', event);
      if (event.fencingToken !== undefined) {
        span.setAttribute('zk_lock.fencing_token', String(event.fencingToken));
      }
    },
    holdEnd: (event) => {
      const span = take(event);
      if (span) endHold(span, event);
    },
  });
  return () => {
    stopListening();
    for (const span of spans.values()) span.end();
    spans.clear();
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
