import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Session } from '../../../zk-client/src/session/session.js';
import { Wait, type WaitLimits } from '../../../zk-client/src/session/wait.js';
import { ZooKeeperUnavailableError } from '../../../zk-client/src/zk-lock-error.js';
import { LockTimeoutError } from '../lock/lock-errors.js';
import { newWait } from './wait.js';

const limits = (overrides: Partial<WaitLimits>): WaitLimits => ({
  timeoutMs: 1_000,
  answerWithinMs: 50,
  onTimeout: (isBlocked) => new Error(isBlocked ? 'blocked' : 'no answer'),
  onAbort: (reason) => new Error('aborted', { cause: reason }),
  ...overrides,
});
const never = new Promise<never>(() => undefined);

describe('wait', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('knows at the end whether another contender was in the way', async () => {
    using wait = new Wait(limits({}));
    wait.blocked();
    const step = wait.for(never);
    vi.advanceTimersByTime(1_000);
    await expect(step).rejects.toThrow('blocked');
  });

  it('ends a single try as soon as another contender is in the way', async () => {
    using wait = new Wait(limits({ timeoutMs: 0 }));
    wait.blocked();
    await expect(wait.for(never)).rejects.toThrow('blocked');
  });

  it('gives a single try time for the answers', async () => {
    using wait = new Wait(limits({ timeoutMs: 0 }));
    vi.advanceTimersByTime(49);
    await expect(wait.for(Promise.resolve(7))).resolves.toBe(7);
    vi.advanceTimersByTime(1);
    await expect(wait.for(never)).rejects.toThrow('no answer');
  });

  const refuse = () => Promise.reject<number>(new Error('refused'));
  it.each([
    ['the result', 'in time', () => Promise.resolve(7), [[7], []]],
    ['the error', 'in time', refuse, [[], ['refused']]],
    ['the result', 'too late', () => Promise.resolve(7), [[], ['over']]],
    ['the error', 'too late', refuse, [[], ['over']]],
  ])('calls back once: %s comes %s', async (_, when, work, called) => {
    using wait = new Wait(limits({}));
    const results: number[] = [];
    const errors: string[] = [];
    const working = work();
    wait.until(
      working,
      (result) => results.push(result),
      ({ message }) => errors.push(message),
    );
    if (when === 'too late') wait.stop(new Error('over'));
    await working.catch(() => undefined);
    expect([results, errors]).toEqual(called);
  });

  it('ends with the signal of the caller, even if it has already aborted', async () => {
    const controller = new AbortController();
    using wait = new Wait(limits({ signal: controller.signal }));
    const step = wait.for(never);
    controller.abort('enough');
    await expect(step).rejects.toMatchObject({ message: 'aborted', cause: 'enough' });
    using late = new Wait(limits({ signal: controller.signal }));
    await expect(late.for(never)).rejects.toThrow('aborted');
  });
});

describe('a wait without an answer while there is a connection', () => {
  const session = { isConnected: true, isStarted: true, snapshot: { servers: 'zk' } } as Session;

  it.each([
    ['of a call', 50, false, ZooKeeperUnavailableError],
    ['of a call whose earlier part has used up the time', 50, true, LockTimeoutError],
    ['of a single try', 0, false, ZooKeeperUnavailableError],
    ['of a single try that has taken another lock before', 0, true, ZooKeeperUnavailableError],
  ])('says %s what is known', async (_, timeoutMs, isLaterPart, error) => {
    const deadline = performance.now() + timeoutMs;
    const request = { key: 'k', mode: 'write', signal: undefined } as const;
    using wait = newWait(
      { ...request, timeoutMs, deadline, isLaterPart },
      { session, sessionTimeoutMs: 150 },
    );
    await expect(wait.for(never)).rejects.toThrow(error);
  });
});

describe('a wait whose process is paused past the deadline', () => {
  /**
   * Stands still while a message arrives. Has to be called in the turn of the event loop in which the
   * wait begins: between turns the process may stand still for longer than the wait lasts, and the
   * message is then sent too late.
   */
  function standStill(ms: number, onMessage: () => void): void {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', () => {
      onMessage();
      port1.close();
    });
    port2.postMessage('an answer');
    const until = performance.now() + ms;
    while (performance.now() < until);
  }

  it('knows what has arrived meanwhile', async () => {
    using wait = new Wait(limits({ timeoutMs: 20 }));
    const step = wait.for(never);
    standStill(40, () => {
      wait.blocked();
    });
    await expect(step).rejects.toThrow('blocked');
  });

  it('goes on with a step that has succeeded meanwhile', async () => {
    using wait = new Wait(limits({ timeoutMs: 20 }));
    let succeed = (_value: number): void => undefined;
    const step = wait.for(new Promise<number>((resolve) => (succeed = resolve)));
    standStill(40, () => {
      succeed(7);
    });
    await expect(step).resolves.toBe(7);
  });
});
