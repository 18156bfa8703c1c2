import { expect, it, onTestFinished } from 'vitest';
import type { BoardEvent, BoardHistory } from '../../libs/nestjs-zk-lock/src/board/board-api.js';
import { EventStream } from '../nest/support/event-stream.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { openProxy } from '../support/open-proxy.js';
import { findNewSessions } from '../support/new-sessions.js';
import { waitFor } from '../support/wait-for.js';
import { type BoardApp, startBoard } from './support/board-app.js';

const apps = useTestApps();

/** A viewer, without whom the board would stop reading. */
async function watch(board: BoardApp): Promise<EventStream> {
  const stream = new EventStream(`${board.url}/changes`);
  onTestFinished(() => stream.close());
  await stream.until('revision');
  await waitFor(async () => (await board.key('k')).history !== undefined, { what: 'a first look' });
  return stream;
}

const wordsOf = ({ events, who }: BoardHistory): string[] =>
  events.map(({ event, who: index }) => `${who[index]?.label} ${event}`);

/** Waits until the history of a key contains an event with these words. */
async function until(board: BoardApp, words: string): Promise<BoardHistory> {
  return waitFor(
    async () => {
      const { history } = await board.key('k');
      return history && wordsOf(history).includes(words) && history;
    },
    { what: words },
  );
}

const eventOf = (history: BoardHistory, name: BoardEvent['event']): BoardEvent | undefined =>
  history.events.find(({ event }) => event === name);

it('shows which calls requested, held and gave up, for how long, and how many waited', async () => {
  const board = await startBoard(apps);
  const other = await apps.replica({ application: 'billing' });
  await watch(board);
  const held = await board.locks.acquire('k', { label: 'ship' });
  await until(board, 'ship granted');
  const giveUp = new AbortController();
  const hopeless = other.acquire('k', { label: 'hopeless', signal: giveUp.signal });
  await until(board, 'hopeless asked');
  const next = other.acquire('k', { label: 'refund' });
  await until(board, 'refund asked');
  giveUp.abort();
  await expect(hopeless).rejects.toThrow();
  await until(board, 'hopeless gave-up');
  await board.locks.revoke('k');
  await until(board, 'ship revoked');
  await held.release();
  const history = await until(board, 'refund granted');

  expect(wordsOf(history)).toEqual([
    ...['ship granted', 'hopeless asked', 'refund asked', 'hopeless gave-up', 'ship revoked'],
    ...['ship released', 'refund granted'],
  ]);
  expect(history.events.map(({ waiting }) => waiting)).toEqual([0, 1, 2, 1, 1, 1, 0]);
  const [asked, granted] = [history.events[2]!, history.events[6]!];
  expect(Math.abs(granted.ms! - (granted.at - asked.at))).toBeLessThan(1_000);
  expect(eventOf(history, 'released')!.ms).toBeGreaterThan(0);
  expect(history.holds.map(({ who, end }) => [history.who[who]?.label, end])).toEqual([
    ['ship', 'released'],
    ['refund', undefined],
  ]);
  expect(history.since).toBeLessThanOrEqual(history.events[0]!.at);
  expect(JSON.stringify(history)).not.toMatch(/session/i);
  const { holders } = await board.key('k');
  expect(Math.abs(holders[0]!.heldSince! - granted.at)).toBeLessThan(1);
  await (await next).release();
});

it('keeps its history while no page is open, and says since when it has looked', async () => {
  const proxy = await openProxy();
  // The board's session is suspended only if a busy server does not answer for 13 s.
  const connection = { servers: proxy.connectString, sessionTimeoutMs: 40_000 };
  const board = await startBoard(apps, { connection });
  const newSessions = await findNewSessions();
  const stream = await watch(board);
  const boards = await newSessions();
  const held = await board.locks.acquire('k', { label: 'ship' });
  await until(board, 'ship granted');
  const gaps = async (): Promise<BoardHistory['gaps']> => (await board.key('k')).history!.gaps;
  const untilOver = async (count: number): Promise<void> => {
    const isOver = async (): Promise<boolean> =>
      (await gaps()).slice(count).some(({ until }) => until !== undefined);
    await waitFor(isOver, { what: 'the end of the next gap' });
  };
  const atFirst = (await gaps()).length;
  stream.close();
  await waitFor(async () => !(await newSessions()).some((id) => boards.includes(id)), {
    what: 'the board to leave',
  });
  await watch(board);
  await untilOver(atFirst);
  const history = (await board.key('k')).history!;
  expect(wordsOf(history)).toEqual(['ship granted']);
  expect(history.gaps[atFirst]).toEqual({
    from: expect.any(Number) as number,
    until: expect.any(Number) as number,
  });
  expect(history.holds).toHaveLength(1);

  const before = history.gaps.length;
  await proxy.refuse();
  await proxy.cut();
  await waitFor(async () => (await gaps()).length > before, { what: 'a gap' });
  await proxy.accept();
  await untilOver(before);
  await held.release();
});
