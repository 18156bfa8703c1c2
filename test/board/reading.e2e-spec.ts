import { expect, it, onTestFinished } from 'vitest';
import { EventStream } from '../nest/support/event-stream.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { startBoard } from './support/board-app.js';
import { holdTrees } from './support/hold-trees.js';

const apps = useTestApps();

it('says that it is reading until everything has been read once, and then shows it', async () => {
  const board = await startBoard(apps);
  const held = await board.locks.acquire('k');
  const trees = holdTrees();
  const read = async (path: string): Promise<unknown> => (await board.get(path)).json();
  const [first, keys, answer] = await Promise.all([
    board.overview(),
    read('/keys'),
    read('/key?key=k'),
  ]);
  expect(first.reading).toMatchObject({ isFirst: true });
  expect(first.reading!.since).toBeLessThanOrEqual(first.now);
  expect(keys).toMatchObject({ isReading: true, total: 0 });
  expect(answer).toMatchObject({ isReading: true, holders: [] });
  trees.open();
  await waitFor(async () => (await board.overview()).reading === undefined, { what: 'the end' });
  expect((await board.overview()).totals).toMatchObject({ keys: 1, held: 1 });
  expect(await board.keys()).not.toHaveProperty('isReading');

  const stream = new EventStream(`${board.url}/changes`);
  onTestFinished(() => stream.close());
  await stream.until('revision');
  trees.close();
  const second = await board.locks.acquire('l');
  const later = await waitFor(
    async () => {
      const overview = await board.overview();
      return overview.reading && overview;
    },
    { what: 'the next reading' },
  );
  expect(later).toMatchObject({ reading: { isFirst: false }, totals: { keys: 1 } });
  trees.open();
  await waitFor(async () => (await board.overview()).totals.keys === 2, { what: 'the new key' });
  await Promise.all([held.release(), second.release()]);
});
