import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Clock } from './clock.js';
import { SessionLease } from './session-lease.js';

const T = 6_000;
const time = { mono: 0, wallOffset: 1_000_000 };
let clock: Clock;
let lease: SessionLease;

beforeEach(() => {
  time.mono = 0;
  time.wallOffset = 1_000_000;
  clock = new Clock({ monotonic: () => time.mono, wall: () => time.mono + time.wallOffset });
  lease = new SessionLease({ id: 'a1', password: 'p' }, T, 1_000, clock, 0);
});

const newChecker = () => (lease.checker = { confirm: vi.fn(), checkDeadlineLater: vi.fn() });

/** The machine stands still for `ms`: the wall clock goes on, the monotonic one does not. */
const pause = (ms: number): void => void (time.wallOffset += ms);

describe('session lease', () => {
  it('ends by the clock when it is queried, and reports its end once', () => {
    const onLeaseEnd = vi.fn();
    lease.listen({ onLeaseEnd });
    time.mono = T - 301;
    expect(lease.isValid()).toBe(true);
    time.mono = T;
    expect(lease.isValid()).toBe(false);
    expect(lease.isValid()).toBe(false);
    expect(onLeaseEnd.mock.calls).toEqual([['lease-expired']]);
  });

  it('stays over, whatever answers arrive later', () => {
    time.mono = T;
    lease.isValid();
    lease.reattached(T, T);
    expect(lease.isValid()).toBe(false);
    expect(lease.lossReason).toBe('lease-expired');
  });

  it('was granted the timeout of its latest connection, and ends by the shortest', () => {
    for (const granted of [T / 2, T]) {
      lease.reattached(clock.now(), granted);
      expect([lease.grantedTimeoutMs, lease.timeoutMs]).toEqual([granted, T / 2]);
    }
  });

  it('is checked earlier once a server has granted less, but not when it is over', () => {
    const { checkDeadlineLater } = newChecker();
    const msUntilCheck: number[] = [];
    checkDeadlineLater.mockImplementation(() => msUntilCheck.push(lease.msUntilCheck()));
    time.mono = 1_000;
    lease.connecting(900, 2_000);
    lease.end('session-expired');
    lease.connecting(950, 1_500);
    expect(msUntilCheck).toEqual([900 + 2_000 * 0.95 - 1_000]);
  });

  it('notifies all other listeners if one throws, and does not lose that error', () => {
    const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => undefined);
    const told = [vi.fn(), vi.fn()];
    const throws = (): void => {
      throw new Error('of the logger');
    };
    for (const onLeaseEnd of [told[0]!, throws, told[1]!]) lease.listen({ onLeaseEnd });
    lease.end('session-expired');
    const [[report] = []] = later.mock.calls;
    later.mockRestore();
    for (const onLeaseEnd of told) expect(onLeaseEnd).toHaveBeenCalledOnce();
    expect(report).toThrow('of the logger');
  });

  it('is invalid, but not over, after a pause of the machine that outlasted it', () => {
    pause(T);
    expect(lease.isValid()).toBe(false);
    expect(lease.lossReason).toBeUndefined();
  });

  it('is valid again once the server has confirmed the session after a pause', () => {
    pause(T);
    lease.isValid();
    const woke = clock.now();
    lease.answered(woke, { isProof: true });
    expect(lease.isValid()).toBe(false);
    time.mono += 600;
    lease.answered(clock.now(), { isProof: true });
    time.mono += 1;
    lease.answered(clock.now(), { isProof: true });
    expect(lease.isValid()).toBe(true);
  });

  it('notifies those who wait for certainty both of a proof and of the end', async () => {
    await lease.whenCertain();
    pause(T);
    const certain = vi.fn();
    const waiting = lease.whenCertain().then(certain);
    await Promise.resolve();
    expect(certain).not.toHaveBeenCalled();
    lease.reattached(clock.now(), T);
    await waiting;
    expect(lease.isValid()).toBe(true);

    pause(2 * T);
    const again = lease.whenCertain();
    lease.end('session-expired');
    await again;
    await lease.whenCertain();
  });

  it('reports once that it is uncertain', () => {
    const { confirm } = newChecker();
    pause(T);
    lease.isValid();
    lease.isValid();
    expect(confirm).toHaveBeenCalledOnce();
  });

  it('is over when half a session timeout and a report after a pause the server has confirmed nothing', () => {
    pause(T);
    lease.isValid();
    time.mono += T / 2 + 500 - 1;
    expect(lease.isValid()).toBe(false);
    expect(lease.lossReason).toBeUndefined();
    time.mono += 1;
    expect(lease.isValid()).toBe(false);
    expect(lease.lossReason).toBe('lease-expired');
  });

  it('does not count an answer as reported just because the wall clock was set forward', () => {
    time.mono = 1_000;
    lease.answered(1_000, { isProof: false });
    pause(400);
    time.mono = 1_150;
    lease.answered(clock.now(), { isProof: true });
    time.mono = 1_160;
    lease.answered(clock.now(), { isProof: true });
    time.mono = T - 300 - 400;
    expect(lease.isValid()).toBe(false);
  });
});

describe('a margin before the deadline of a lease', () => {
  const MARGIN = 2_000;
  const DEADLINE = T * 0.95;

  beforeEach(() => {
    lease = new SessionLease({ id: 'a1', password: 'p' }, T, 1_000, clock, 0, MARGIN);
  });

  const listen = () => {
    const { holding } = lease;
    const onLeaseEnd = vi.fn();
    holding.listen({ onLeaseEnd });
    return { holding, onLeaseEnd };
  };
  const prove = (at: number): void => {
    time.mono = at;
    lease.answered(at, { isProof: true });
  };

  it('is reported that much earlier, and the lease continues', () => {
    const { holding, onLeaseEnd } = listen();
    time.mono = DEADLINE - MARGIN - 1;
    expect(holding.isValid()).toBe(true);
    expect(lease.msUntilCheck()).toBe(1);
    time.mono++;
    expect(lease.check()).toBe(true);
    expect(onLeaseEnd.mock.calls).toEqual([['margin-reached']]);
    expect(lease.lossReason).toBeUndefined();
    expect(lease.msUntilCheck()).toBe(MARGIN);
  });

  it('stays reached for locks that were notified, but not for locks granted after a later proof', () => {
    const { checkDeadlineLater } = newChecker();
    const { holding } = listen();
    time.mono = DEADLINE - 1;
    expect(lease.holding.isValid()).toBe(false);
    expect(checkDeadlineLater).not.toHaveBeenCalled();
    for (const at of [0, 1_000, 2_000]) prove(DEADLINE + at - 1_000 - 1);
    expect(holding.isValid()).toBe(false);
    expect(lease.msUntilCheck()).toBe(lease.msLeft());
    expect(lease.holding.isValid()).toBe(true);
    expect(checkDeadlineLater).toHaveBeenCalledOnce();
    expect(lease.msUntilCheck()).toBe(lease.msLeft() - MARGIN);
  });

  it('is uncertain, not reached, where the clock was only set forward', async () => {
    const { holding, onLeaseEnd } = listen();
    const { confirm } = newChecker();
    pause(DEADLINE - 1_000);
    expect(holding.isValid()).toBe(false);
    expect(lease.isValid()).toBe(true);
    expect(confirm).toHaveBeenCalledOnce();
    const certain = holding.whenCertain();
    const now = clock.now();
    for (const at of [0, 1_000, 2_000]) {
      time.mono = at;
      lease.answered(now + at, { isProof: true });
    }
    await certain;
    expect(holding.isValid()).toBe(true);
    expect(onLeaseEnd).not.toHaveBeenCalled();
  });
});
