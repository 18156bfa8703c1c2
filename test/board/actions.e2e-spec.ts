import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { ZkLockModule } from 'nestjs-zk-lock';
import { type ActionEvent, onLockEvents } from 'nestjs-zk-lock/events';
import { type BoardAction, boardActionOf } from 'nestjs-zk-lock/board';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { InspectClient } from '../support/inspect-client.js';
import { lossOf } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { startBoard } from './support/board-app.js';

const apps = useTestApps();

const events: ActionEvent[] = [];
let stop: () => void;
beforeEach(() => {
  events.length = 0;
  stop = onLockEvents({ action: (event) => events.push(event) });
});
afterEach(() => stop());

/** Identifies the user, as an application's guard does, and allows actions only to operators. */
@Injectable()
class UserGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{
      headers: Record<string, string | undefined>;
      user?: unknown;
    }>();
    const { user } = request.headers;
    if (user !== undefined) request.user = { id: 7, username: user };
    return true;
  }
}

@Injectable()
class OperatorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ user?: { username: string } }>();
    const may: Readonly<Record<string, BoardAction[]>> = {
      ann: ['revoke', 'break', 'setPermits', 'resign'],
      bob: ['revoke'],
    };
    const action = boardActionOf(context);
    return action !== undefined && may[request.user?.username ?? '']?.includes(action) === true;
  }
}

const withOperators = {
  board: { guards: [UserGuard], readOnly: false, actionGuards: [OperatorGuard] },
};

const NONE = { revoke: false, break: false, setPermits: false, resign: false };

describe.each(PLATFORMS)('an action on %s', (_name, newAdapter) => {
  it('that is refused is logged with the reason, in a line that no user can make long', async () => {
    const lines: string[] = [];
    const warn = vi.spyOn(Logger.prototype, 'warn');
    warn.mockImplementation((line: string) => void lines.push(line));
    onTestFinished(() => warn.mockRestore());
    const board = await startBoard(apps, { ...withOperators, adapter: newAdapter() });
    const origin = new URL(board.url).origin;
    const long = 'k'.repeat(90_000);
    const tries: [body: object, headers: Record<string, string>, status: number, line: string][] = [
      [
        { key: 'k\u202e' },
        { origin, user: 'bob' },
        403,
        'bob asked for "break" of "k\\u{202e}" on the lock board: refused: the application refused it (403)',
      ],
      [
        { key: 'k' },
        { origin: 'https://evil.example', user: 'ann' },
        403,
        'ann asked for "break" of "k" on the lock board: refused: the request came from another origin (403)',
      ],
      [
        { key: 7 },
        { origin, user: 'ann' },
        400,
        'ann asked for "break" of "7" on the lock board: `key` must be a string.',
      ],
      [
        { key: { toString: 7 } },
        { origin, user: 'bob' },
        403,
        'bob asked for "break" of "{ toString: 7 }" on the lock board: refused: the application refused it (403)',
      ],
      [
        { key: { toString: 7 } },
        { origin, user: 'ann' },
        400,
        'ann asked for "break" of "{ toString: 7 }" on the lock board: `key` must be a string.',
      ],
      [
        { key: long, typedKey: 'k', node: 'n', token: '1' },
        { origin, user: 'ann' },
        400,
        `ann asked for "break" of "${'k'.repeat(200)}…" on the lock board: `,
      ],
      [
        { key: long },
        { origin, user: 'u'.repeat(5_000) },
        403,
        `${'u'.repeat(100)}… asked for "break" of "${'k'.repeat(200)}…" on the lock board: refused`,
      ],
    ];
    for (const [body, headers, status, line] of tries) {
      lines.length = 0;
      expect((await board.act('break', body, headers)).status).toBe(status);
      await waitFor(() => lines.length > 0, { what: 'a line' });
      expect(lines).toEqual([expect.stringContaining(line)]);
      expect(lines[0]!.length).toBeLessThan(1_500);
      expect(events.splice(0)).toMatchObject([
        { action: 'break', error: expect.any(Error) as Error },
      ]);
    }
  });

  it('that is refused after its client has disconnected is also logged', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    const leaving = new AbortController();
    /** Refuses the request after its client has disconnected. */
    class SlowGuard implements CanActivate {
      async canActivate(context: ExecutionContext): Promise<boolean> {
        const response = context.switchToHttp().getResponse<ServerResponse & { raw?: Writable }>();
        const closed = once(response.raw ?? response, 'close');
        leaving.abort();
        await closed;
        return false;
      }
    }
    const options = { guards: [UserGuard], readOnly: false, actionGuards: [new SlowGuard()] };
    const board = await startBoard(apps, { board: options, adapter: newAdapter() });
    const { origin } = new URL(board.url);
    const asked = board.act('break', { key: 'k' }, { origin, user: 'bob' }, leaving.signal);
    await expect(asked).rejects.toThrow('aborted');
    await waitFor(() => events.length > 0, { what: 'the refusal to be told' });
    expect(events).toMatchObject([{ action: 'break', key: 'k', by: 'bob' }]);
  });

  it('asks a holder to release its lock, and says which user requested that', async () => {
    const lines: string[] = [];
    const log = vi.spyOn(Logger.prototype, 'log');
    log.mockImplementation((line: string) => void lines.push(line));
    onTestFinished(() => log.mockRestore());
    const board = await startBoard(apps, { ...withOperators, adapter: newAdapter() });
    const origin = new URL(board.url).origin;
    const held = await board.locks.acquire('k');
    const response = await board.act('revoke', { key: 'k' }, { origin, user: 'ann' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ text: '1 holder was asked to release the lock.' });
    await waitFor(() => held.revoked.aborted, { what: 'the holder to be asked' });
    expect(lines).toContain(
      'ann asked for "revoke" of "k" on the lock board: 1 holder was asked to release the lock.',
    );
    expect(events).toEqual([
      {
        ...{ connection: 'default', action: 'revoke', key: 'k', by: 'ann', error: undefined },
        text: '1 holder was asked to release the lock.',
      },
    ]);
    const { holders } = await board.key('k');
    expect(holders[0]!.revokedAt).toBeGreaterThan(0);
    await held.release();
  });

  it('is refused from other sites, and other than as JSON', async () => {
    const board = await startBoard(apps, { ...withOperators, adapter: newAdapter() });
    const origin = new URL(board.url).origin;
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (await board.act('revoke', { key: 'k' }, { user: 'ann', ...headers })).status;
    expect(await statusWith({})).toBe(403);
    expect(await statusWith({ origin: 'https://evil.example' })).toBe(403);
    expect(await statusWith({ origin: 'null' })).toBe(403);
    expect(await statusWith({ 'sec-fetch-site': 'cross-site', origin })).toBe(403);
    expect(await statusWith({ 'sec-fetch-site': 'same-site', origin })).toBe(403);
    expect(await statusWith({ origin, 'content-type': 'text/plain' })).toBe(415);
    expect(await statusWith({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await statusWith({ origin })).toBe(200);
  });
});

it('is refused on a read-only board, which is the default', async () => {
  const board = await startBoard(apps);
  expect((await board.overview()).may).toEqual(NONE);
  const response = await board.act('revoke', { key: 'k' });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ message: 'The lock board is read-only.' });
});

const openToAll = { board: { readOnly: false, actionGuards: 'none' } } as const;

it('breaks the lock of the named holder, once the key is typed', async () => {
  const board = await startBoard(apps, openToAll);
  const other = await apps.replica();
  const held = await other.acquire('k');
  const { node, token } = (await board.key('k')).holders[0]!;
  expect(token).toBe(String(held.fencingToken));
  const named = { key: 'k', node, token, typedKey: 'k' };
  const refusals: [body: object, status: number][] = [
    [{ ...named, typedKey: 'K' }, 400],
    [{ ...named, token: 'x' }, 400],
    [{ ...named, node: undefined }, 400],
    [{ ...named, node: 7 }, 400],
    [{ node, token, typedKey: '' }, 400],
    [{ ...named, token: '12345' }, 409],
    [{ ...named, node: `${node}0` }, 409],
  ];
  for (const [body, status] of refusals) {
    expect((await board.act('break', body)).status, JSON.stringify(body)).toBe(status);
  }
  expect(held.isHeld).toBe(true);
  const response = await board.act('break', named);
  expect(await response.text()).toContain('The lock was taken from');
  expect(await lossOf(held)).toMatchObject({ reason: 'broken' });
  expect(events.at(-1)).toMatchObject({ action: 'break', key: 'k', error: undefined });
  expect(events.at(-1)!.by).toContain('127.0.0.1');
  await held.release();
});

it('says which node holds a lock if no holder could be asked to release it', async () => {
  const board = await startBoard(apps, openToAll);
  await using inspector = await InspectClient.connect(sharedServer().connectString);
  const node = '_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-__WRIT__0000000000';
  for (const path of ['', '/k']) await inspector.create(apps.root + path);
  await inspector.create(`${apps.root}/k/${node}`, 'by hand');
  // Without this flag, the command line refuses to break the lock.
  expect((await board.key('k')).holders[0]!.command).toContain(' --foreign');
  const response = await board.act('revoke', { key: 'k' });
  expect(await response.json()).toEqual({
    text: `No holder was asked: the holder had just left, or no process would notice the request. The lock is now held by ${node}.`,
  });
  await inspector.delete(`${apps.root}/k/${node}`);
});

it('breaks a key with characters that cannot be typed once its displayed form is typed', async () => {
  const board = await startBoard(apps, openToAll);
  const key = 'a\nb\u202e';
  const held = await board.locks.acquire(key);
  const { node, token } = (await board.key(key)).holders[0]!;
  const act = (typedKey: string) => board.act('break', { key, node, token, typedKey });
  expect((await act('a b')).status).toBe(400);
  expect(held.isHeld).toBe(true);
  expect((await act('a\\u{a}b\\u{202e}')).status).toBe(200);
  expect(await lossOf(held)).toMatchObject({ reason: 'broken' });
  await held.release();
});

it('sets the permits of a shared count that the application names', async () => {
  const sharedCount = `${apps.root}-count`;
  const board = await startBoard(apps, {
    ...openToAll,
    metadata: {
      imports: [
        ZkLockModule.forFeature({
          semaphores: [
            { key: 'cards', permits: { sharedCount, seed: 2 } },
            { key: 'fixed', permits: 2 },
          ],
        }),
      ],
    },
  });
  const cards = board.locks.semaphore('cards', { permits: { sharedCount, seed: 2 } });
  const permit = await cards.acquire();
  expect(await board.key('cards')).toMatchObject({ permits: { taken: 1, sharedCount } });
  expect((await board.act('set-permits', { key: 'cards', permits: 5 })).status).toBe(200);
  expect(await cards.permits()).toBe(5);
  expect((await board.act('set-permits', { key: 'cards', permits: -1 })).status).toBe(409);
  const fixed = await board.act('set-permits', { key: 'fixed', permits: 3 });
  expect(fixed.status).toBe(409);
  expect(await fixed.text()).toContain('sharedCount');
  await permit.release();
  await board.locks.client.delete(sharedCount);
});
