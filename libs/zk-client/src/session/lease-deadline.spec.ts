import { describe, expect, it } from 'vitest';
import { LeaseDeadline, refuseLongMargin } from './lease-deadline.js';

/** T = 10 s, tick = 2 s: a follower reports every 1,000 ms; the margin is 500 ms. */
const T = 10_000;
const TICK = 2_000;
const MARGIN = 500;

describe('lease deadline', () => {
  it('counts from the connect request, which the leader has answered', () => {
    expect(new LeaseDeadline(T, TICK, 100).deadline).toBe(100 + T - MARGIN);
  });

  it('does not move for answers that any server can give by itself', () => {
    const record = new LeaseDeadline(T, TICK, 0);
    for (let at = 500; at < 9_000; at += 500) record.answered(at, at + 1, false);
    expect(record.deadline).toBe(T - MARGIN);
  });

  it('counts from what had been received half a tick before the first of two proofs was sent', () => {
    const record = new LeaseDeadline(T, TICK, 0);
    record.answered(1_000, 1_001, false);
    record.answered(1_900, 1_901, false);
    record.answered(2_500, 2_510, true);
    expect(record.deadline).toBe(T - MARGIN);
    record.answered(2_510, 2_520, true);
    expect(record.deadline).toBe(1_000 + T - MARGIN);
  });

  it('counts nothing received since the first proof, because the leader may have stalled since then', () => {
    const record = new LeaseDeadline(T, TICK, 0);
    record.answered(1_000, 1_001, true);
    for (let at = 1_300; at < 6_000; at += 300) record.answered(at, at + 1, false);
    record.answered(6_000, 6_001, true);
    expect(record.deadline).toBe(T - MARGIN);
    record.answered(6_002, 6_003, true);
    expect(record.deadline).toBe(4_900 + T - MARGIN);
  });

  it('forgets the answers of a lost connection, and ignores those still to come from it', () => {
    const record = new LeaseDeadline(T, TICK, 0);
    record.answered(1_000, 1_001, false);
    record.attached(4_000, T);
    record.answered(3_900, 6_000, true);
    expect(record.deadline).toBe(4_000 + T - MARGIN);
  });

  it('follows the timeout that the server of a new connection has set', () => {
    const record = new LeaseDeadline(T, TICK, 0);
    record.attached(4_000, 3_000);
    expect(record.deadline).toBe(4_000 + 3_000 - 150);
    record.answered(4_200, 4_201, false);
    record.answered(5_201, 5_202, true);
    record.answered(5_203, 5_204, true);
    expect(record.deadline).toBe(4_200 + 3_000 - 150);
  });

  it('is capped by the timeout of a connection that was answered but not proved', () => {
    const record = new LeaseDeadline(T, TICK, 0);
    record.connecting(1_000, 3_000);
    record.connecting(2_000, T);
    expect(record.deadline).toBe(1_000 + 3_000 - 150);
    expect(record.timeoutMs).toBe(3_000);
  });

  it("uses the smallest timeout ever granted, including that of the session's creation", () => {
    const created = new LeaseDeadline(3_000, TICK, 0);
    created.attached(1_000, T);
    expect(created.deadline).toBe(1_000 + 3_000 - 150);
    created.answered(2_000, 2_001, false);
    created.answered(3_500, 3_501, true);
    created.answered(3_502, 3_503, true);
    expect(created.deadline).toBe(2_000 + 3_000 - 150);

    const reattached = new LeaseDeadline(T, TICK, 0);
    reattached.attached(1_000, 3_000);
    reattached.attached(2_000, T);
    expect(reattached.deadline).toBe(2_000 + 3_000 - 150);

    const lostWhileConnecting = new LeaseDeadline(T, TICK, 0);
    lostWhileConnecting.connecting(1_000, 3_000);
    lostWhileConnecting.attached(2_000, T);
    expect(lostWhileConnecting.deadline).toBe(2_000 + 3_000 - 150);
  });

  it('takes the whole half tick off, however short the session timeout is', () => {
    const record = new LeaseDeadline(2_000, 4_000, 0);
    record.answered(100, 101, false);
    record.answered(2_100, 2_101, true);
    record.answered(2_101, 2_102, true);
    expect(record.deadline).toBe(2_000 - 100);
    record.answered(2_102, 2_103, true);
    expect(record.deadline).toBe(100 + 2_000 - 100);
  });
});

describe('a margin before the deadline', () => {
  it('is refused where a healthy lease would be within it', () => {
    expect(() => refuseLongMargin(3_100, 6_000, 1_000)).not.toThrow();
    expect(() => refuseLongMargin(3_101, 6_000, 1_000)).toThrow(
      /`marginMs` of 3101 ms is too long for a session of 6000 ms.*`tickTimeMs` of 1000 ms.*Pass 3100 or less; or raise `sessionTimeoutMs`.*to 6002 or more/,
    );
  });
});
