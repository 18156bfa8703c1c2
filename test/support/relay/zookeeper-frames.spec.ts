import { describe, expect, it } from 'vitest';
import { encodeRequest, OpCode } from 'zk-protocol';
import { proveBy } from '../../../libs/zk-locks/src/client/by-refusal.js';
import { replyHeader, requestHeader } from './zookeeper-frames.js';

/** Of a frame's length, which comes before it. */
const LENGTH_BYTES = 4;

const bytes = (hex: string) => Buffer.from(hex, 'hex');

describe('headers', () => {
  it('reads xid and operation of a request', () => {
    const frame = bytes('00000007' + '0000000f' + '0102');
    expect(requestHeader(frame)).toEqual({ xid: 7, operations: ['create'] });
  });

  it('reads negative numbers', () => {
    const frame = bytes('fffffffe' + 'fffffff5');
    expect(requestHeader(frame)).toEqual({ xid: -2, operations: ['closeSession'] });
  });

  it('does not know every operation', () => {
    const frame = bytes('00000001' + '000003e7');
    expect(requestHeader(frame)).toEqual({ xid: 1, operations: [] });
  });

  it('tells the heartbeat of a session from the deletion of a node', async () => {
    const operationsOf = (path: string) => {
      const sent = encodeRequest(1, OpCode.delete, { path, version: -1 });
      return requestHeader(sent.subarray(LENGTH_BYTES)).operations;
    };
    expect(operationsOf('/locks/k/lock-0000000001')).toEqual(['delete']);
    const proofs: (readonly string[])[] = [];
    await proveBy(
      async (path) => void proofs.push(operationsOf(path), operationsOf(`/app${path}`)),
    );
    expect(proofs).toEqual([['heartbeat'], ['heartbeat']]);
  });

  it('reads what the parts of a multi ask for', () => {
    const remove = '00000002' + '00' + 'ffffffff' + '00000001' + '2f' + 'ffffffff';
    const end = 'ffffffff' + '01' + 'ffffffff';
    const frame = bytes('00000001' + '0000000e' + remove + remove + end);
    expect(requestHeader(frame).operations).toEqual(['multi', 'delete', 'delete']);
  });

  it('reads xid, zxid and error of a reply', () => {
    const frame = bytes('00000007' + '0000000100000002' + 'ffffff9b');
    expect(replyHeader(frame)).toEqual({ xid: 7, zxid: 0x1_0000_0002n, error: -101 });
  });
});
