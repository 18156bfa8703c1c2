import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ConnectRequest,
  decode,
  encode,
  encodeReply,
  encodeRequest,
  ErrorCode,
  isRequestType,
  JuteReader,
  OpCode,
  opName,
  replyCodec,
  ReplyHeader,
  requestCodec,
  RequestHeader,
  type MultiPart,
  type MultiResult,
} from './index.js';
import { int32, int64, replyBodies, requestBodies, requestTypes } from './testing/arbitraries.js';
import { seed } from './testing/seed.js';

describe.each(requestTypes)(`$name, with seed ${seed}`, ({ type }) => {
  it('is framed as header and body, as a request and as a reply', () => {
    fc.assert(
      fc.property(
        int32,
        int64,
        requestBodies[type] as fc.Arbitrary<never>,
        replyBodies[type] as fc.Arbitrary<never>,
        (xid, zxid, request, reply) => {
          const requesting = unframed(encodeRequest(xid, type, request));
          expect(RequestHeader.read(requesting)).toEqual({ xid, type });
          expect(requestCodec(type).read(requesting)).toEqual(request);
          expect(requesting.remaining).toBe(0);
          const replying = unframed(encodeReply({ xid, zxid }, type, reply));
          expect(ReplyHeader.read(replying)).toEqual({ xid, zxid, err: 0 });
          expect(replyCodec(type).read(replying)).toEqual(reply);
          expect(replying.remaining).toBe(0);
        },
      ),
      { seed, numRuns: 20 },
    );
  });
});

describe('a connect request', () => {
  const old = {
    protocolVersion: 0,
    lastZxidSeen: 0n,
    timeOut: 4_000,
    sessionId: 0n,
    passwd: Buffer.alloc(16),
  };

  it('has readOnly only where the client sends it', () => {
    expect(decode(ConnectRequest, encode(ConnectRequest, old))).not.toHaveProperty('readOnly');
    expect(encode(ConnectRequest, old)).toHaveLength(44);
    const recent = { ...old, readOnly: false };
    expect(decode(ConnectRequest, encode(ConnectRequest, recent))).toEqual(recent);
    expect(encode(ConnectRequest, recent)).toHaveLength(45);
  });
});

/**
 * A frame of this many elements is read in half a second; 64 MiB have room for thirteen times as
 * many.
 */
describe('a frame of more than 1,048,576 elements is refused', () => {
  const MOST = 1_048_576;
  const list = (count: number): Buffer => {
    const bytes = Buffer.alloc(4 + 4 * count);
    bytes.writeInt32BE(count);
    return bytes;
  };
  const tooMany = expect.objectContaining({ name: 'ProtocolError', code: 'TOO_LONG' }) as unknown;

  it('as one list', () => {
    const { children } = decode(replyCodec(OpCode.getChildren), list(MOST));
    expect(children).toHaveLength(MOST);
    expect(() => decode(replyCodec(OpCode.getChildren), list(MOST + 1))).toThrow(tooMany);
  });

  it('as several lists, or as parts without lists', () => {
    const part = Buffer.from('00000008 00 00000000'.replaceAll(' ', ''), 'hex');
    const two = Buffer.concat([part, list(MOST / 2), part, list(MOST / 2)]);
    expect(() => decode(replyCodec(OpCode.multiRead), two)).toThrow(tooMany);
    const refusal = Buffer.from('ffffffff 00 ffffff9b ffffff9b'.replaceAll(' ', ''), 'hex');
    const refusals = Buffer.alloc(refusal.length * (MOST + 1), refusal);
    expect(() => decode(replyCodec(OpCode.multi), refusals)).toThrow(tooMany);
  });
});

describe('a multi', () => {
  const header = (type: number, done: number, err: number): string => {
    const bytes = Buffer.alloc(9);
    bytes.writeInt32BE(type, 0);
    bytes.writeUInt8(done, 4);
    bytes.writeInt32BE(err, 5);
    return bytes.toString('hex');
  };

  it('puts each part after a header, with the error -1 in the headers of a request', () => {
    const parts: MultiPart[] = [{ type: OpCode.check, request: { path: '/a', version: 3 } }];
    expect(encode(requestCodec(OpCode.multi), parts).toString('hex')).toBe(
      header(13, 0, -1) + '000000022f6100000003' + header(-1, 1, -1),
    );
  });

  it('has 0 in the headers of successful parts, and the error of a failed part twice', () => {
    const results: MultiResult[] = [
      { type: OpCode.delete, reply: undefined },
      { type: OpCode.error, err: ErrorCode.badVersion },
    ];
    expect(encode(replyCodec(OpCode.multi), results).toString('hex')).toBe(
      header(2, 0, 0) + header(-1, 0, -103) + 'ffffff99' + header(-1, 1, -1),
    );
  });

  it.each([OpCode.exists, OpCode.multi, OpCode.ping, 0, 999])(
    'has no part of type %i, neither to read nor to write',
    (type) => {
      const bytes = Buffer.from(header(type, 0, -1) + '00'.repeat(40), 'hex');
      const badValue = expect.objectContaining({ code: 'BAD_VALUE' }) as unknown;
      expect(() => decode(requestCodec(OpCode.multi), bytes)).toThrow(badValue);
      expect(() => decode(replyCodec(OpCode.multi), bytes)).toThrow(badValue);
      const part = { type, request: undefined, reply: undefined } as never;
      expect(() => encode(requestCodec(OpCode.multi), [part])).toThrow(badValue);
      expect(() => encode(replyCodec(OpCode.multi), [part])).toThrow(badValue);
    },
  );

  it.each([OpCode.createContainer, OpCode.createTTL])(
    'answers a part of type %i as a create2, and in no other way',
    (type) => {
      const result = { type, reply: { path: '/a', stat: {} } } as never;
      expect(() => encode(replyCodec(OpCode.multi), [result])).toThrow(/not a type/);
    },
  );
});

describe('names', () => {
  it('of requests without known bodies are not request types', () => {
    const unknown = Object.values(OpCode).filter((type) => !isRequestType(type));
    expect(unknown.map(opName).sort()).toEqual(['deleteContainer', 'error']);
    expect(isRequestType(0)).toBe(false);
    expect(isRequestType(1.5)).toBe(false);
  });
});

function unframed(bytes: Buffer): JuteReader {
  expect(bytes.readInt32BE(0)).toBe(bytes.length - 4);
  return new JuteReader(bytes, 4);
}
