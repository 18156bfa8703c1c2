import {
  type JuteWriter,
  MultiHeader,
  type MultiResult,
  OpCode,
  ProtocolError,
  type RequestType,
} from 'zk-protocol';

interface Part {
  readonly type: RequestType;
  readonly body: Uint8Array;
}

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
export type PartAnswer = { readonly answer: unknown } | { readonly err: number };

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
): readonly unknown[] | undefined {
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
): unknown {
  if (result && result.type !== OpCode.error) {
    // In a `multi`, every version of the server answers a `create2` as the older `create`.
    if (type === OpCode.create2 && result.type === OpCode.create) {
      return { path: result.reply.path, czxid: zxid };
    }
    if (type === result.type) return result.reply;
  }
  throw new ProtocolError('BAD_VALUE', `a result of type ${result?.type} for a part of ${type}`);
}
