import { Logger } from '@nestjs/common';
import { LockService } from 'nestjs-zk-lock';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { type Transport, openCaller } from './support/callers.js';
import { KEY, openWarehouse } from './support/open-warehouse.js';

const apps = useTestApps();

afterEach(() => {
  vi.restoreAllMocks();
});

const IN_USE = 'The resource is in use by another operation. Try again later.';
const UNREACHABLE = 'The lock service cannot be reached. Try again later.';

const ALL: readonly Transport[] = ['HTTP', 'GraphQL', 'WebSocket', 'TCP', 'worker'];

interface ErrorCase {
  readonly message: string;
  readonly code?: string;
  readonly status: number;
  readonly error?: string;
  readonly retryAfter?: number;
}

/** The answer that a caller of each transport receives. */
function answerOf(transport: Transport, failure: ErrorCase): unknown {
  const { message, code, status, error, retryAfter } = failure;
  const header = retryAfter === undefined ? undefined : String(retryAfter);
  switch (transport) {
    case 'HTTP':
      return { status, retryAfter: header, body: { statusCode: status, message, error, code } };
    case 'GraphQL': {
      const extensions = expect.objectContaining({
        code: code ?? 'INTERNAL_SERVER_ERROR',
        status,
        ...(retryAfter === undefined ? {} : { retryAfter }),
      }) as unknown;
      const errors = [expect.objectContaining({ message, path: ['pick'], extensions })];
      return { status, retryAfter: header, body: { data: null, errors } };
    }
    case 'WebSocket':
      return { event: 'exception', data: { status: 'error', message, code } };
    case 'TCP':
      return { status: 'error', message, code };
    case 'worker':
      return expect.objectContaining({ code }) as unknown;
  }
}

describe.each(PLATFORMS)('the warehouse on %s', (_platform, adapter) => {
  it('keeps callers of all transports apart from each other', async () => {
    const warehouse = await openWarehouse(apps, adapter());
    const answers: Promise<unknown>[] = [];
    for (const transport of ALL) {
      const caller = await openCaller(transport, warehouse);
      answers.push(caller.pick({ sku: 'bolts' }));
      await warehouse.untilQueued(answers.length);
    }
    expect(warehouse.gate.arrivals).toBe(1);
    warehouse.gate.open();
    const texts = (await Promise.all(answers)).map((answer) => JSON.stringify(answer));
    for (const [index, text] of texts.entries()) expect(text).toContain(`"left":${99 - index}`);
  });

  it('reports a timeout in the way of each transport', async () => {
    const warehouse = await openWarehouse(apps, adapter());
    await using _lock = await (await apps.replica()).acquire(KEY);
    const callers = await Promise.all(ALL.map((transport) => openCaller(transport, warehouse)));
    const order = { sku: 'bolts', patienceMs: 1_100 };
    // On a busy machine, the calls may not learn in time that the lock is held.
    const answers = await waitFor(
      async () => {
        const given = await Promise.all(callers.map((caller) => caller.pick(order)));
        return !/ZK_UNAVAILABLE|cannot be reached/.test(JSON.stringify(given)) && given;
      },
      { what: 'answers that know of the holder' },
    );
    const failure = {
      message: IN_USE,
      code: 'LOCK_TIMEOUT',
      status: 423,
      error: 'Locked',
      retryAfter: 2,
    };
    expect(answers).toEqual(ALL.map((transport) => answerOf(transport, failure)));
    const [, ...others] = [...answers].reverse();
    expect(JSON.stringify(others)).not.toContain(KEY);
    expect(warehouse.gate.arrivals).toBe(0);
  });

  it('tells each caller when the lock service cannot be reached', async () => {
    const proxy = await openProxy();
    const servers = { servers: proxy.connectString, acquireTimeoutMs: 500 };
    const warehouse = await openWarehouse(apps, adapter(), servers);
    const callers = await Promise.all(ALL.map((transport) => openCaller(transport, warehouse)));
    await proxy.refuse();
    await proxy.cut();
    const answers = await Promise.all(callers.map((caller) => caller.pick({ sku: 'bolts' })));
    const failure = {
      message: UNREACHABLE,
      code: 'ZK_UNAVAILABLE',
      status: 503,
      error: 'Service Unavailable',
    };
    expect(answers).toEqual(ALL.map((transport) => answerOf(transport, failure)));
    await proxy.accept();
    const { session } = warehouse.get(LockService);
    await waitFor(() => session.snapshot.state.name === 'connected', { what: 'the session' });
  });

  it.each<Transport>(['HTTP', 'GraphQL', 'WebSocket', 'TCP'])(
    'shows a caller neither znodes nor options, and the log the whole error: %s',
    async (transport) => {
      const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
      const warehouse = await openWarehouse(apps, adapter());
      const caller = await openCaller(transport, warehouse);
      const errors = ['LOCK_DIRECTORY_FOREIGN', 'ZK_LOCK_CONFIG'] as const;
      const answers = await apps.whileForeign(KEY, 'not-ours', async () => [
        await caller.pick({ sku: 'bolts' }),
        await caller.pick({ sku: 'bolts', patienceMs: -1 }),
      ]);
      const failure = answerOf(transport, { message: 'Internal server error', status: 500 });
      expect(answers).toEqual(errors.map(() => failure));
      expect(JSON.stringify(answers)).not.toMatch(/stock:|not-ours|zookeeper|timeoutMs|See /i);
      // @nestjs/observe, which another file may have loaded in this process, logs lines of text.
      const loggedErrors = logged.mock.calls.filter(([error]) => error instanceof Error);
      expect(loggedErrors).toEqual(
        errors.map((code) => [expect.objectContaining({ code }) as unknown]),
      );
    },
  );

  it.each<Transport>(['HTTP', 'GraphQL', 'WebSocket', 'TCP'])(
    'stops waiting for a caller that leaves, and picks nothing: %s',
    async (transport) => {
      const warehouse = await openWarehouse(apps, adapter());
      await using lock = await (await apps.replica()).acquire(KEY);
      const caller = await openCaller(transport, warehouse);
      caller.pick({ sku: 'bolts' }).catch(() => undefined);
      await warehouse.untilQueued(2);
      caller.leave();
      await warehouse.untilQueued(1);
      lock.assertHeld();
      expect(warehouse.gate.arrivals).toBe(0);
    },
  );

  it.each<Transport>(['HTTP', 'GraphQL', 'WebSocket', 'TCP'])(
    'continues for a caller that leaves while it picks, and lets no other call in meanwhile: %s',
    async (transport) => {
      const warehouse = await openWarehouse(apps, adapter());
      const caller = await openCaller(transport, warehouse);
      caller.pick({ sku: 'bolts' }).catch(() => undefined);
      await waitFor(() => warehouse.gate.arrivals === 1, { what: 'the pick to begin' });
      caller.leave();
      const next = (await openCaller('HTTP', warehouse)).pick({ sku: 'bolts' });
      await warehouse.untilQueued(2);
      expect(warehouse.gate.arrivals).toBe(1);
      warehouse.gate.open();
      expect(await next).toMatchObject({ body: { left: 98 } });
    },
  );

  it.each<Transport>(['HTTP', 'GraphQL'])(
    'turns waiting callers away when the application closes: %s',
    async (transport) => {
      const warehouse = await openWarehouse(apps, adapter());
      await using _lock = await (await apps.replica()).acquire(KEY);
      await openCaller('WebSocket', warehouse);
      const answer = (await openCaller(transport, warehouse)).pick({ sku: 'bolts' });
      await warehouse.untilQueued(2);
      await Promise.all([
        warehouse.app.close(),
        expect(answer).resolves.toEqual(
          answerOf(transport, {
            message: 'The server is shutting down. Try again.',
            code: 'ZK_CLOSED',
            status: 503,
            error: 'Service Unavailable',
          }),
        ),
      ]);
    },
  );
});
