import { JuteReader, OpCode, ProtocolError, requestCodec, RequestHeader } from 'zk-protocol';

/** Requests whose answers can be lost; each stands for every form of it that clients send. */
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

/** A request as a client's author would name it. */
export type FaultOperation = keyof typeof OPERATIONS;

/** The faults that are on, for all connections of a server. */
export class Faults {
  /** Neither reads nor expires anything. */
  isPaused = false;
  /** Resets new connections. */
  isRefusing = false;
  /** What is sent is sent so much later. */
  delayMs = 0;
  #lost: (readonly number[])[] = [];

  /** @throws {TypeError} for an operation that is none */
  loseNextReply(operation: FaultOperation): void {
    if (!Object.hasOwn(OPERATIONS, operation)) {
      throw new TypeError(
        `zk-embedded: there is no operation ${JSON.stringify(operation)} whose reply could be lost; there are ${Object.keys(OPERATIONS).join(', ')}.`,
      );
    }
    this.#lost.push(OPERATIONS[operation]);
  }

  /**
   * Whether the answer to this request is the one to lose, which is then lost. A `multi` is each of
   * its parts as well.
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

/** @param request a frame, without its length; it may hold anything */
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
