import { decode, encodeReply, ErrorCode, OpCode, replyCodec } from 'zk-protocol';
import { type Answer, framed, type Lie } from './lying-server.js';

/** The length of an answer's header: xid, zxid and error. */
const HEADER_BYTES = 16;

export const patched = (bytes: Buffer, write: (copy: Buffer) => void): Buffer[] => {
  const copy = Buffer.from(bytes);
  write(copy);
  return [copy];
};

/** Falsifies the answers to one type of request. */
export const about =
  (type: Answer['type'], lie: Lie): Lie =>
  (answer) =>
    answer.type === type ? lie(answer) : [answer.bytes];

const isAnswer = ({ type }: Answer): boolean => type !== 'connect' && type !== OpCode.error;

/** Falsifies all answers except handshakes and events. */
export const aboutAll =
  (lie: Lie): Lie =>
  (answer) =>
    isAnswer(answer) ? lie(answer) : [answer.bytes];

export const silence: Lie = aboutAll(() => []);

export const withError =
  (code: number): Lie =>
  ({ bytes }) =>
    patched(bytes.subarray(0, 16), (copy) => copy.writeInt32BE(code, 12));

const reply = <T extends Parameters<typeof encodeReply>[1]>(
  { xid, bytes }: Answer,
  type: T,
  body: Parameters<typeof encodeReply<T>>[2],
): Buffer[] => [encodeReply({ xid, zxid: bytes.readBigInt64BE(4) }, type, body).subarray(4)];

const isError = ({ bytes }: Answer): boolean => bytes.readInt32BE(12) !== ErrorCode.ok;

/** Falsifies the answers to requests that were executed, but not refusals. */
const aboutSuccess = (type: number, lie: Lie): Lie =>
  about(type, (answer) => (isError(answer) ? [answer.bytes] : lie(answer)));

const createdShortly = (path: string): Lie =>
  aboutSuccess(OpCode.create, (answer) => reply(answer, OpCode.create, { path }));

const createdFully = (path: string): Lie =>
  aboutSuccess(OpCode.create2, (answer) => {
    const { stat } = decode(replyCodec(OpCode.create2), answer.bytes.subarray(HEADER_BYTES));
    return reply(answer, OpCode.create2, { path, stat });
  });

export const created =
  (path: string): Lie =>
  (answer) =>
    (answer.type === OpCode.create ? createdShortly : createdFully)(path)(answer);

export const listed = (...children: string[]): Lie =>
  about(OpCode.getChildren, (answer) => reply(answer, OpCode.getChildren, { children }));

/** Falsifies the owner in the answer to a creation or a read. Two ints and a long follow it. */
export const owned = (owner: bigint): Lie => {
  const lie: Lie = ({ bytes }) =>
    patched(bytes, (copy) => copy.writeBigInt64BE(owner, copy.length - 24));
  return (answer) =>
    aboutSuccess(answer.type === OpCode.create2 ? OpCode.create2 : OpCode.getData, lie)(answer);
};

export const handshake = (write: (copy: Buffer) => void): Lie =>
  about('connect', ({ bytes }) => patched(bytes, write));

export const granting = (timeoutMs: number): Lie =>
  handshake((copy) => void copy.writeInt32BE(timeoutMs, 4));

/** Sends only the beginning of the handshake's frame. */
export const partOfHandshake = (length: number): Lie =>
  about('connect', ({ bytes }) => ({ raw: framed(bytes).subarray(0, length) }));

/** Sends a frame that ends before its content does. */
export const truncated = (type: number, missing: number): Lie =>
  aboutSuccess(type, ({ bytes }) => [bytes.subarray(0, bytes.length - missing)]);

/** Swaps each two consecutive answers. */
export function swapped(): Lie {
  let held: Buffer | undefined;
  return aboutAll(({ bytes }) => {
    const earlier = held;
    held = earlier ? undefined : bytes;
    return earlier ? [bytes, earlier] : [];
  });
}

/** Sends a frame that ends this many bytes after its header. */
export const cutAfter = (type: number, kept: number): Lie =>
  aboutSuccess(type, ({ bytes }) => [bytes.subarray(0, HEADER_BYTES + kept)]);
