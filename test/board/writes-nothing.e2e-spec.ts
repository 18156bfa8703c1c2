import { expect, it } from 'vitest';
import { useTestApps } from '../nest/support/test-apps.js';
import { changesBy, openServerWhereRoot, ROOT_STATES } from '../support/changes-by.js';
import { startBoard } from './support/board-app.js';

const apps = useTestApps();

it.each(ROOT_STATES)('changes nothing where the root %s', async (state) => {
  const { server, root } = await openServerWhereRoot(state);
  const credentials = { username: 'billing', password: 'guessed-0815' };
  const connection = { servers: server.connectString, root, credentials };
  const changes = await changesBy(server, async () => {
    const board = await startBoard(apps, { connection });
    const total = state === 'is in use' ? 1 : 0;
    expect((await board.keys()).total).toBe(total);
    expect((await board.key('order:1')).holders).toHaveLength(total);
  });
  expect(changes).toEqual([]);
});
