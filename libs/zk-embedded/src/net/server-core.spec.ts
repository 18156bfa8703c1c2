import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Database } from '../database.js';
import { resolveOptions } from '../options.js';
import type { ClientConnection } from './client-connection.js';
import { ServerCore } from './server-core.js';
import { Traffic } from './traffic.js';

class StubConnection implements ClientConnection {
  readonly session = undefined;
  readonly remoteAddress = '10.0.0.1';
  readonly remotePort = 1;
  readonly establishedAt = Date.now();
  readonly traffic = new Traffic();
  isDestroyed = false;
  notify = (): void => undefined;
  pause = (): void => undefined;
  resume = (): void => undefined;

  constructor(private readonly core: ServerCore) {
    core.connections.add(this);
  }

  destroy(): void {
    this.isDestroyed = true;
    this.core.forget(this);
  }
}

const handshake = {
  ...{ protocolVersion: 0, lastZxidSeen: 0n, timeOut: 30_000, sessionId: 0n },
  passwd: null,
};

let core: ServerCore;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  core = new ServerCore(Database.empty(2_000), resolveOptions({}));
});

afterEach(() => vi.useRealTimers());

it('gives up a connection that has had no session for ten seconds', () => {
  const [silent, greeted] = [new StubConnection(core), new StubConnection(core)];
  core.attach(greeted, handshake);
  vi.advanceTimersByTime(10_000);
  core.expireOverdue();
  expect(silent.isDestroyed).toBe(false);
  vi.advanceTimersByTime(1);
  const young = new StubConnection(core);
  core.expireOverdue();
  expect([silent, greeted, young].map((one) => one.isDestroyed)).toEqual([true, false, false]);
});

it('expires a session that is silent for its timeout, and its connection with it', () => {
  const connection = new StubConnection(core);
  const session = core.attach(connection, handshake);
  vi.advanceTimersByTime(29_999);
  core.expireOverdue();
  expect(connection.isDestroyed).toBe(false);
  vi.advanceTimersByTime(2_001);
  core.expireOverdue();
  expect(connection.isDestroyed).toBe(true);
  expect([...core.database.sessions]).toEqual([]);
  expect(core.connections.size).toBe(0);
  expect(session).toMatchObject({ timeoutMs: 30_000 });
});
