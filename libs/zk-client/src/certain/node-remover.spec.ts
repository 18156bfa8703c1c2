import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLogger } from '../logger.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { NodeRemover } from './node-remover.js';

const TIMEOUT_MS = 6_000;
const PATH = '/k/twin';

const UNHEARD = { onRemoving: vi.fn(), onRemoved: vi.fn(), onRefused: vi.fn() };

function open() {
  const list = vi.fn(() => Promise.resolve<string[]>([]));
  const session = { list, delete: () => Promise.resolve() } as unknown as Session;
  const remover = new NodeRemover(session, silentLogger, UNHEARD, () => false, 300_000);
  const newLease = (): SessionLease =>
    ({
      timeoutMs: TIMEOUT_MS,
      listen: () => undefined,
      unlisten: () => undefined,
    }) as unknown as SessionLease;
  return { remover, newLease, looks: list };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('looks out for a node in doubt, once it is removed', async () => {
  const { remover, newLease, looks } = open();
  const lease = newLease();
  remover.doubt(lease, PATH);
  remover.doubt(lease, '/k/another');
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
  expect(looks).not.toHaveBeenCalled();
  await remover.remove(lease, PATH);
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
  expect(looks).toHaveBeenCalledWith(lease, '/k');
  remover.stop();
});

it('keeps its doubts with the session that they are about', async () => {
  const { remover, newLease, looks } = open();
  remover.doubt(newLease(), PATH);
  await remover.remove(newLease(), PATH);
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
  expect(looks).not.toHaveBeenCalled();
});
