import { describe, expect, it } from 'vitest';
import { FrameReader, replyHeader, requestHeader } from './zookeeper-frames.js';

function frame(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

describe('FrameReader', () => {
  const frames = [frame(Buffer.from('one')), frame(Buffer.alloc(0)), frame(Buffer.from('three'))];
  const stream = Buffer.concat(frames);

  it.each([1, 2, 3, 5, 7, stream.length])('finds the frames in pieces of %i bytes', (size) => {
    const reader = new FrameReader();
    const found: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) {
      found.push(...reader.read(stream.subarray(at, at + size)));
    }
    expect(found).toEqual(frames);
  });
});

describe('headers', () => {
  it('reads xid and operation of a request', () => {
    const body = Buffer.from('00000007' + '0000000f' + '0102', 'hex');
    expect(requestHeader(frame(body))).toEqual({ xid: 7, operation: 'create2' });
  });

  it('reads negative numbers', () => {
    const body = Buffer.from('fffffffe' + 'fffffff5', 'hex');
    expect(requestHeader(frame(body))).toEqual({ xid: -2, operation: 'closeSession' });
  });

  it('does not know every operation', () => {
    const body = Buffer.from('00000001' + '000003e7', 'hex');
    expect(requestHeader(frame(body))).toEqual({ xid: 1, operation: undefined });
  });

  it('reads xid, zxid and error of a reply', () => {
    const body = Buffer.from('00000007' + '0000000100000002' + 'ffffff9b', 'hex');
    expect(replyHeader(frame(body))).toEqual({ xid: 7, zxid: 0x1_0000_0002n, error: -101 });
  });
});
