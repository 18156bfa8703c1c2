import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WireClient } from '../../../test/support/wire-client.js';
import { EmbeddedServer } from './embedded-server.js';
import { resolveOptions } from './options.js';

const TICK_MS = 1_000;

it('ends a session that was overdue at a pause only when it is resumed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await EmbeddedServer.start(resolveOptions({ tickTimeMs: TICK_MS }));
  onTestFinished(() => server.stop());
  const client = await WireClient.connect(server.port, { timeOut: 2 * TICK_MS });
  onTestFinished(() => client.drop());
  const untilExpired = async (): Promise<void> => {
    await setImmediate();
    await setImmediate();
  };
  vi.advanceTimersByTime(4 * TICK_MS);
  server.pause();
  await untilExpired();
  expect(server.sessions()).toHaveLength(1);
  server.resume();
  vi.advanceTimersByTime(TICK_MS);
  await untilExpired();
  expect(server.sessions()).toEqual([]);
});
