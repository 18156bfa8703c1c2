import {
  decode,
  FrameReader,
  JuteReader,
  JuteWriter,
  OpCode,
  type OpName,
  opName,
  ReplyHeader,
  requestCodec,
  RequestHeader,
  SpecialXid,
} from 'zk-protocol';
import type { RelayedConnection } from './relay.js';

/** Nothing but a heartbeat of the library under test deletes below it. */
const OF_ZOOKEEPER = '/zookeeper/';

/**
 * The name of a request's type. `create2`, with its longer answer, counts as `create`. The deletion
 * that keeps a session alive is sent by a timer, and counts as `heartbeat`, not `delete`.
 */
export type Operation = OpName | 'heartbeat';

interface Loss {
  readonly operation: Operation;
  readonly of: 'request' | 'reply';
  happened(): void;
}

/** Decodes the requests of connections, so that it can count them and lose a certain one. */
export class ReadAlong {
  readonly losses: Promise<void>[] = [];
  readonly #armed: Loss[] = [];
  requests = noRequests();
  notifications = 0;

  resetCounters(): void {
    this.requests = noRequests();
    this.notifications = 0;
  }

  /** @returns its place among {@link losses} */
  loseNext(of: 'request' | 'reply', operation: Operation): number {
    const loss = new Promise<void>((happened) => {
      this.#armed.push({ operation, of, happened });
    });
    return this.losses.push(loss) - 1;
  }

  loseNothing(): void {
    this.#armed.length = 0;
  }

  follow({ flows, reset }: RelayedConnection): void {
    const losing = new Map<number, Loss>();
    const unanswered = new Set<number>();
    let lost: Loss | undefined;
    const cut = (loss: Loss): void => {
      reset();
      loss.happened();
    };
    flows.server.inspectWith(
      filter((frame) => {
        if (lost) return false;
        const { xid, operations } = readRequest(frame);
        const loss = this.#lossOf(operations);
        if (loss?.of === 'reply') losing.set(xid, loss);
        else lost = loss;
        if (!lost) unanswered.add(xid);
        else if (unanswered.size === 0) cut(lost);
        return !lost;
      }),
    );
    flows.client.inspectWith(
      filter((frame) => {
        const { xid } = decode(ReplyHeader, frame);
        if (xid === (SpecialXid.notification as number)) this.notifications++;
        unanswered.delete(xid);
        const loss = losing.get(xid);
        if (loss) cut(loss);
        // The requests before the lost one have reached the server.
        else if (lost && unanswered.size === 0) cut(lost);
        return !loss;
      }),
    );
  }

  #lossOf(operations: readonly Operation[]): Loss | undefined {
    for (const operation of operations) this.requests[operation]++;
    const index = this.#armed.findIndex(({ operation }) => operations.includes(operation));
    return index < 0 ? undefined : this.#armed.splice(index, 1)[0];
  }
}

/** The types of a request: none if unknown to `OpCode`, one, or a `multi` and its parts. */
function readRequest(frame: Buffer): { xid: number; operations: readonly Operation[] } {
  const reader = new JuteReader(frame);
  const { xid, type } = RequestHeader.read(reader);
  if (type === OpCode.delete && requestCodec(type).read(reader).path.startsWith(OF_ZOOKEEPER)) {
    return { xid, operations: ['heartbeat'] };
  }
  const isMulti = type === OpCode.multi || type === OpCode.multiRead;
  const parts = isMulti ? requestCodec(type).read(reader) : [];
  return { xid, operations: [type, ...parts.map((part) => part.type)].flatMap(operationOf) };
}

function operationOf(type: number): Operation[] {
  const operation = opName(type);
  return operation === undefined ? [] : [operation === 'create2' ? 'create' : operation];
}

/**
 * Cuts a stream into frames and asks whether each may pass, except for the first one, the
 * handshake.
 */
function filter(mayPass: (frame: Buffer) => boolean): (bytes: Buffer) => Buffer | undefined {
  // The server limits the length of frames, not the relay.
  const reader = new FrameReader(0x7fff_ffff);
  let greeted = false;
  return (bytes) => {
    const passing = new JuteWriter();
    for (const frame of reader.read(bytes)) {
      if (greeted && !mayPass(frame)) break;
      greeted = true;
      passing.buffer(frame);
    }
    return passing.length > 0 ? passing.finish() : undefined;
  };
}

function noRequests(): Record<Operation, number> {
  const names = [...Object.keys(OpCode), 'heartbeat'] as Operation[];
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Operation, number>;
}
