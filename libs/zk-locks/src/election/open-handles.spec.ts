import { createHook } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';

it('the async resource of elections is destroyed at once, so Jest reports no open handle', async () => {
  const open = new Map<number, string>();
  const hook = createHook({
    init: (id, type) => void open.set(id, type),
    destroy: (id) => void open.delete(id),
  });
  vi.resetModules();
  hook.enable();
  await import('./leader-election.js');
  await setImmediate();
  hook.disable();
  expect([...open.values()]).not.toContain('LeaderElection');
});
