import { OpCode } from 'zk-protocol';
import { describe, expect, it } from 'vitest';
import { type Pending, PendingQueue } from './pending.js';

const pending = (xid: number): Pending => ({
  xid,
  question: {
    ...{ type: OpCode.sync, path: '/' },
    write: () => undefined,
    resolve: () => undefined,
    reject: () => undefined,
  },
});

describe('PendingQueue', () => {
  it('gives the oldest request, and nothing for another xid', () => {
    const queue = new PendingQueue();
    for (const xid of [1, 2]) queue.push(pending(xid));
    expect(queue.take(2)).toBeUndefined();
    expect(queue.take(1)?.xid).toBe(1);
    expect(queue.take(1)).toBeUndefined();
    expect(queue.take(2)?.xid).toBe(2);
    expect([queue.size, queue.take(2)]).toEqual([0, undefined]);
  });

  it('keeps its order while thousands come and go', () => {
    const queue = new PendingQueue();
    let [asked, answered] = [0, 0];
    for (let round = 0; round < 5_000; round++) {
      for (let i = 0; i < 3; i++) queue.push(pending(++asked));
      for (let i = 0; i < 2; i++) expect(queue.take(++answered)?.xid).toBe(answered);
    }
    expect(queue.size).toBe(5_000);
    expect(queue.takeAll().map(({ xid }) => xid)).toEqual(
      Array.from({ length: 5_000 }, (_, index) => answered + index + 1),
    );
    expect(queue.takeAll()).toEqual([]);
  });
});
