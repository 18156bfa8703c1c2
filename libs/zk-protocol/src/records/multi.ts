import { type Codec, int, type JuteReader, type JuteWriter } from '../jute.js';
import { OpCode } from '../op-code.js';
import { ProtocolError } from '../protocol-error.js';
import { MultiHeader } from './headers.js';
import { singleReplies, type SingleReplyBody } from './replies.js';
import { singleRequests, type SingleRequestBody } from './requests.js';

const PART_TYPES = [
  OpCode.create,
  OpCode.create2,
  OpCode.createContainer,
  OpCode.createTTL,
  OpCode.delete,
  OpCode.setData,
  OpCode.check,
  OpCode.getData,
  OpCode.getChildren,
] as const;

export type MultiPartType = (typeof PART_TYPES)[number];

/** One request of a `multi` (which may write and `check`) or of a `multiRead` (which may read). */
export type MultiPart = {
  [T in MultiPartType]: { readonly type: T; readonly request: SingleRequestBody<T> };
}[MultiPartType];

const RESULT_TYPES = [
  OpCode.create,
  OpCode.create2,
  OpCode.delete,
  OpCode.setData,
  OpCode.check,
  OpCode.getData,
  OpCode.getChildren,
] as const;

/** A `createContainer` or `createTTL` is answered as a `create2`: clients know no other answer. */
export type MultiResultType = (typeof RESULT_TYPES)[number];

/**
 * The result of one part. If a part of a `multi` fails, every part has an error: 0 for the parts
 * before it, its own code for the part itself, `runtimeInconsistency` for those after it. In the
 * answer to a `multiRead`, each part has its own result.
 */
export type MultiResult =
  | {
      [T in MultiResultType]: { readonly type: T; readonly reply: SingleReplyBody<T> };
    }[MultiResultType]
  | { readonly type: typeof OpCode.error; readonly err: number };

const END = { type: -1, done: true, err: -1 };

export const MultiRequest: Codec<readonly MultiPart[]> = {
  read: (reader) =>
    readParts(reader, ({ type }) => {
      const partType = oneOf(PART_TYPES, type);
      return { type: partType, request: singleRequests[partType].read(reader) } as MultiPart;
    }),
  write: (writer, parts) => {
    for (const { type, request } of parts) {
      const partType = oneOf(PART_TYPES, type);
      MultiHeader.write(writer, { type, done: false, err: -1 });
      (singleRequests[partType] as Codec<unknown>).write(writer, request);
    }
    MultiHeader.write(writer, END);
  },
};

export const MultiReply: Codec<readonly MultiResult[]> = {
  read: (reader) =>
    readParts(reader, ({ type }): MultiResult => {
      if (type === OpCode.error) return { type, err: int.read(reader) };
      const resultType = oneOf(RESULT_TYPES, type);
      return { type: resultType, reply: singleReplies[resultType].read(reader) } as MultiResult;
    }),
  write: (writer, results) => {
    for (const result of results) writeResult(writer, result);
    MultiHeader.write(writer, END);
  },
};

function writeResult(writer: JuteWriter, result: MultiResult): void {
  if (result.type === OpCode.error) {
    MultiHeader.write(writer, { type: result.type, done: false, err: result.err });
    int.write(writer, result.err);
  } else {
    const resultType = oneOf(RESULT_TYPES, result.type);
    MultiHeader.write(writer, { type: resultType, done: false, err: 0 });
    (singleReplies[resultType] as Codec<unknown>).write(writer, result.reply);
  }
}

function readParts<T>(reader: JuteReader, readPart: (header: MultiHeader) => T): T[] {
  const parts: T[] = [];
  for (;;) {
    const header = MultiHeader.read(reader);
    if (header.done) return parts;
    reader.countElements(1);
    parts.push(readPart(header));
  }
}

function oneOf<T extends number>(types: readonly T[], type: number): T {
  const known = types.find((candidate) => candidate === type);
  if (known !== undefined) return known;
  throw new ProtocolError('BAD_VALUE', `${type} is not a type of request that a multi can contain`);
}
