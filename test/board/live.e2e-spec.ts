import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EventStream } from '../nest/support/event-stream.js';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { openProxy } from '../support/open-proxy.js';
import { findNewSessions } from '../support/new-sessions.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { type BoardApp, startBoard } from './support/board-app.js';
import { holdResults } from './support/hold-trees.js';

const apps = useTestApps();

/** The number of requests that the server has received in each session. */
async function requestsBySession(): Promise<Map<string, number>> {
  const lines = (await sharedServer().fourLetterWord('cons')).matchAll(
    /recved=(\d+),.*?sid=0x([0-9a-f]+)/g,
  );
  return new Map(Array.from(lines, ([, count, id]) => [id!, Number(count)]));
}

function ownSession({ locks }: BoardApp): string {
  const { state } = locks.session.snapshot;
  return 'sessionId' in state ? state.sessionId : '';
}

function openStream({ url }: BoardApp): EventStream & { readonly revisions: () => number[] } {
  const stream = new EventStream(`${url}/changes`);
  onTestFinished(() => stream.close());
  const revisions = (): number[] =>
    Array.from(stream.text.matchAll(/data: \{"revision":(\d+)\}/g), ([, value]) => Number(value));
  return Object.assign(stream, { revisions });
}

describe.each(PLATFORMS)('the board on %s', (_name, newAdapter) => {
  it('reports changes as they happen, and does not delay the shutdown of the application', async () => {
    const board = await startBoard(apps, { adapter: newAdapter() });
    const stream = openStream(board);
    await waitFor(() => stream.revisions().length > 0, { what: 'the first event' });
    expect(stream.text).toContain('retry: 1000');
    const before = await board.keys();
    const held = await board.locks.acquire('k');
    const seen = await waitFor(
      async () => {
        const keys = await board.keys();
        return keys.total === 1 && keys;
      },
      { what: 'the key' },
    );
    expect(seen.rows).toMatchObject([{ key: 'k', holders: 1 }]);
    expect(seen.revision).toBeGreaterThan(before.revision);
    await waitFor(() => stream.revisions().at(-1)! >= seen.revision, { what: 'it to be told' });
    await held.release();
    await board.app.close();
    await stream.ended();
  });
});

/** Looks at the board while the application shuts down and the server still responds. */
@Injectable()
class LateViewer implements BeforeApplicationShutdown {
  look: (() => Promise<void>) | undefined;

  async beforeApplicationShutdown(): Promise<void> {
    await this.look?.();
  }
}

it('does not call the keys unread while the application shuts down', async () => {
  const board = await startBoard(apps, { metadata: { providers: [LateViewer] } });
  const answers: [status: number, message: unknown][] = [];
  board.app.get(LateViewer).look = async () => {
    for (const path of ['/overview', '/keys', '/groups', '/key?key=k']) {
      const response = await board.get(path);
      const { message } = (await response.json()) as { readonly message?: unknown };
      answers.push([response.status, message]);
    }
  };
  await board.keys();
  await board.app.close();
  expect(answers).toEqual(Array(4).fill([503, 'The application is shutting down.']));
});

it('has a session of its own while there are viewers, and no session otherwise', async () => {
  const newSessions = await findNewSessions();
  const board = await startBoard(apps);
  expect(await newSessions()).toHaveLength(1);
  // On a busy machine, the session may not exist yet, or no longer, when it is looked for.
  const isThereForViewers = async (): Promise<boolean> => {
    await board.overview();
    return (await newSessions()).length === 2;
  };
  await waitFor(isThereForViewers, { what: 'the session of the board' });
  const stream = openStream(board);
  await stream.until('revision');
  stream.close();
  // A viewer who polls would return within this time.
  await waitFor(async () => (await newSessions()).length === 1, {
    what: 'the session of the board to end',
  });
  await waitFor(isThereForViewers, { what: 'another session of the board' });
});

it('reads once for twenty viewers, and never through the session of the application', async () => {
  // A heartbeat is sent every four seconds.
  const board = await startBoard(apps, { connection: { sessionTimeoutMs: 40_000 } });
  const newSessions = await findNewSessions();
  const streams = Array.from({ length: 20 }, () => openStream(board));
  for (const stream of streams) await stream.until('revision');
  await waitFor(async () => (await board.overview()).reading === undefined, {
    what: 'all to be read',
  });
  expect(await newSessions()).toHaveLength(1);

  const other = await apps.replica();
  const first = await requestsBySession();
  const held = await other.acquire('k');
  await waitFor(async () => (await board.keys()).total === 1, { what: 'the key' });
  for (const stream of streams) {
    await waitFor(() => stream.revisions().length > 1, { what: 'the change to be told' });
  }
  await Promise.all(streams.flatMap(() => [board.overview(), board.keys(), board.key('k')]));
  const last = await requestsBySession();
  const own = ownSession(board);
  const asked = (id: string): number => (last.get(id) ?? 0) - (first.get(id) ?? 0);
  // Heartbeats, and for the board's session also one list and one read for each change.
  expect(asked(own)).toBeLessThan(10);
  for (const id of first.keys()) expect(asked(id), id).toBeLessThan(20);
  await held.release();
});

it('says that its data is stale while ZooKeeper is unreachable, and recovers automatically', async () => {
  const proxy = await openProxy();
  // The lock outlives the outage, even on a busy machine.
  const connection = { servers: proxy.connectString, sessionTimeoutMs: 40_000 };
  const board = await startBoard(apps, { connection });
  const stream = openStream(board);
  const held = await board.locks.acquire('before');
  await waitFor(async () => (await board.keys()).total === 1, { what: 'the key' });
  const told = stream.revisions().length;
  await proxy.refuse();
  await proxy.cut();
  await waitFor(async () => (await board.overview()).stale !== undefined, { what: 'staleness' });
  await waitFor(() => stream.revisions().length > told, { what: 'staleness to be told' });
  const away = await board.overview();
  expect(away.stale?.reason).toContain('connection to ZooKeeper');
  expect(away.stale?.since).toBeLessThanOrEqual(away.now);
  expect((await board.keys()).rows).toMatchObject([{ key: 'before' }]);

  const other = await apps.replica();
  const second = await other.acquire('meanwhile');
  await proxy.accept();
  await waitFor(async () => (await board.overview()).stale === undefined, { what: 'its end' });
  await waitFor(async () => (await board.keys('busy=1')).total === 2, { what: 'both keys' });
  await Promise.all([held.release(), second.release()]);
});

it('says that its data is stale even if a read ends after the connection was lost', async () => {
  const proxy = await openProxy();
  const connection = { servers: proxy.connectString, sessionTimeoutMs: 40_000 };
  const board = await startBoard(apps, { connection });
  const results = holdResults();
  const seen = board.overview();
  await waitFor(() => results.arrivals === 1, { what: 'everything to be read' });
  await proxy.refuse();
  await proxy.cut();
  await waitFor(async () => (await board.overview()).stale !== undefined, { what: 'staleness' });
  results.open();
  await seen;
  expect((await board.overview()).stale?.reason).toContain('connection to ZooKeeper');
  await proxy.accept();
  await waitFor(async () => (await board.overview()).stale === undefined, { what: 'its end' });
});
