import {
  CreateMode,
  JuteWriter,
  MultiHeader,
  type MultiResult,
  OpCode,
  ProtocolError,
  type ReplyBody,
  type RequestBody,
  requestCodec,
  type RequestType,
} from 'zk-protocol';
import type { ZooKeeperError } from '../../port/client-errors.js';
import { parentOf } from '../../port/node-path.js';
import type { Planned, RequestKind } from './plan.js';

/** A `create2` answered as part of a batch: ZooKeeper returns only its path. */
export interface CreatedTogether {
  readonly path: string;
  /** The zxid of the whole transaction. */
  readonly czxid: bigint;
  readonly stat?: undefined;
}

/** The answer to a request that may have been sent together with others. */
export type Answer<T extends RequestType> = T extends typeof OpCode.create2
  ? ReplyBody<typeof OpCode.create2> | CreatedTogether
  : ReplyBody<T>;

type CreateBody = RequestBody<typeof OpCode.create2>;

const SEQUENTIAL: ReadonlySet<number> = new Set([
  CreateMode.ephemeralSequential,
  CreateMode.persistentSequential,
]);

export interface Asked<T extends RequestType = RequestType> {
  readonly type: T;
  readonly body: RequestBody<T>;
  /** The path for its error. */
  readonly path: string;
  /** It must not be sent together with others. */
  readonly isAlone: boolean;
  /** Of a creation: see {@link Planned}. */
  readonly rank?: number | undefined;
  resolve(answer: Answer<T>): void;
  reject(error: ZooKeeperError): void;
}

const DESK_BYTES = 4_096;

/** Shared by all requests; each is copied out of it. */
let desk = new JuteWriter(DESK_BYTES);

/** A request that waits to be sent. */
export interface Gathered extends Planned {
  readonly asked: Asked;
  readonly type: RequestType;
  /** Encoded at once: the caller may change its arguments later. */
  readonly body: Buffer;
}

/** @throws {ProtocolError} if it cannot be encoded */
export function gather(asked: Asked): Gathered {
  const { type, path, rank } = asked;
  const creates = type === OpCode.create2;
  const isSequential = creates && SEQUENTIAL.has((asked.body as CreateBody).flags);
  const parent = creates || type === OpCode.delete ? parentOf(path) : undefined;
  const kind = kindOf(asked);
  const body = write(asked);
  const { length: bytes } = body;
  return { asked, type, path, body, bytes, kind, creates, rank, isSequential, parent };
}

function write({ type, body }: Asked): Buffer {
  desk.truncate(0);
  requestCodec(type).write(desk, body);
  const bytes = desk.copy();
  if (bytes.length > DESK_BYTES) desk = new JuteWriter(DESK_BYTES);
  return bytes;
}

function kindOf({ type, body, isAlone }: Asked): RequestKind {
  switch (type) {
    case OpCode.create2:
    case OpCode.delete:
    case OpCode.setData:
      return isAlone ? 'lone-write' : 'write';
    case OpCode.getData:
    case OpCode.getChildren:
      // A `multiRead` sets no watch.
      return (body as RequestBody<typeof OpCode.getData>).watch ? 'lone-read' : 'read';
    case OpCode.exists:
    case OpCode.sync:
      return 'lone-read';
    default:
      // Also `addWatch`: a recursive watch reports all later writes below its path.
      return 'lone-write';
  }
}

type Part = Pick<Gathered, 'type' | 'body'>;

const END: MultiHeader = { type: -1, done: true, err: -1 };
const HEADER_BYTES = 9;

/** The length of a frame that holds one request, or several as parts of a `multi` or `multiRead`. */
export function frameBytes(parts: readonly { readonly body: Uint8Array }[]): number {
  let bytes = parts.length > 1 ? HEADER_BYTES * (parts.length + 1) : 0;
  for (const { body } of parts) bytes += body.length;
  return bytes;
}

/** Encoded requests as the body of a `multi` or `multiRead`. */
export function writeParts(writer: JuteWriter, parts: readonly Part[]): void {
  for (const { type, body } of parts) {
    MultiHeader.write(writer, { type, done: false, err: -1 });
    writer.raw(body);
  }
  MultiHeader.write(writer, END);
}

/** The outcome of each part: its answer as if sent by itself, or an error code. */
export type PartAnswer = { readonly answer: Answer<RequestType> } | { readonly err: number };

/**
 * The answers to all parts of a `multi`; undefined if a part was refused, so that nothing was done.
 *
 * @param zxid of the transaction; a node created by it has this czxid
 * @throws {ProtocolError} if this is not an answer to these parts
 */
export function writeAnswers(
  parts: readonly Part[],
  results: readonly MultiResult[],
  zxid: bigint,
): readonly Answer<RequestType>[] | undefined {
  expectAsMany(parts, results);
  const errors = results.filter((result) => result.type === OpCode.error);
  if (errors.length === 0) {
    return parts.map(({ type }, index) => answerTo(type, results[index], zxid));
  }
  if (errors.length < parts.length || errors.every(({ err }) => err === 0)) {
    throw new ProtocolError('BAD_VALUE', 'a multi that was neither done nor refused');
  }
  return undefined;
}

/** @throws {ProtocolError} if this is not an answer to these parts */
export function readAnswers(
  parts: readonly Part[],
  results: readonly MultiResult[],
): readonly PartAnswer[] {
  expectAsMany(parts, results);
  return results.map((result, index) => {
    if (result.type === OpCode.error) return { err: result.err };
    return { answer: answerTo(parts[index]?.type, result, 0n) };
  });
}

function expectAsMany(parts: readonly unknown[], results: readonly unknown[]): void {
  if (results.length === parts.length) return;
  throw new ProtocolError('BAD_VALUE', `${results.length} results of ${parts.length} requests`);
}

function answerTo(
  type: RequestType | undefined,
  result: MultiResult | undefined,
  zxid: bigint,
): Answer<RequestType> {
  if (result && result.type !== OpCode.error) {
    // In a `multi`, every version of the server answers a `create2` as the older `create`.
    if (type === OpCode.create2 && result.type === OpCode.create) {
      return { path: result.reply.path, czxid: zxid };
    }
    if (type === result.type) return result.reply;
  }
  throw new ProtocolError('BAD_VALUE', `a result of type ${result?.type} for a part of ${type}`);
}
