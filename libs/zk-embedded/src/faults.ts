import { JuteReader, OpCode, ProtocolError, requestCodec, RequestHeader } from 'zk-protocol';

/** Requests whose answers can be lost. Each name stands for all of its forms that clients send. */
const OPERATIONS = {
  create: [OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL],
  delete: [OpCode.delete],
  exists: [OpCode.exists],
  getData: [OpCode.getData],
  setData: [OpCode.setData],
  getChildren: [OpCode.getChildren, OpCode.getChildren2],
  sync: [OpCode.sync],
  multi: [OpCode.multi],
  multiRead: [OpCode.multiRead],
  getACL: [OpCode.getACL],
  setACL: [OpCode.setACL],
  check: [OpCode.check],
  ping: [OpCode.ping],
  auth: [OpCode.auth],
  closeSession: [OpCode.closeSession],
} as const satisfies Record<string, readonly number[]>;

/** A request by its client API name. */
export type FaultOperation = keyof typeof OPERATIONS;

/** The active faults, for all connections of a server. */
export class Faults {
  /** The server neither reads nor expires anything. */
  isPaused = false;
  /** Resets new connections. */
  isRefusing = false;
  /** The delay of everything that is sent. */
  delayMs = 0;
  #lost: (readonly number[])[] = [];

  /** @throws {TypeError} for an unknown operation */
  loseNextReply(operation: FaultOperation): void {
    if (!Object.hasOwn(OPERATIONS, operation)) {
      throw new TypeError(
        `zk-embedded: loseNextReply() needs one of ${Object.keys(OPERATIONS).join(', ')}; got ${JSON.stringify(operation)}.`,
      );
    }
    this.#lost.push(OPERATIONS[operation]);
  }

  /**
   * Whether the answer to this request is the one to lose; it then counts as lost. A `multi` counts
   * as each of its parts as well.
   */
  takesReply(type: number, request: Buffer): boolean {
    if (this.#lost.length === 0) return false;
    const asked = [type, ...partTypes(type, request)];
    const index = this.#lost.findIndex((types) => types.some((lost) => asked.includes(lost)));
    if (index === -1) return false;
    this.#lost.splice(index, 1);
    return true;
  }
}

/** @param request a frame without its length; it may contain anything */
function partTypes(type: number, request: Buffer): readonly number[] {
  if (type !== OpCode.multi && type !== OpCode.multiRead) return [];
  try {
    const reader = new JuteReader(request);
    RequestHeader.read(reader);
    return requestCodec(type)
      .read(reader)
      .map((part) => part.type);
  } catch (error) {
    if (error instanceof ProtocolError) return [];
    throw error;
  }
}
