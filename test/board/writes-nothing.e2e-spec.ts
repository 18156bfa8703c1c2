import { expect, it } from 'vitest';
import { useTestApps } from '../nest/support/test-apps.js';
import { changesBy } from '../support/changes-by.js';
import { InspectClient } from '../support/inspect-client.js';
import { sharedServer } from '../support/shared-server.js';
import { startBoard } from './support/board-app.js';

const apps = useTestApps();

it.each(['is missing', 'is in use'])('changes nothing if the root %s', async (state) => {
  const isInUse = state === 'is in use';
  await using inspector = await InspectClient.connect(sharedServer().connectString);
  await inspector.create(apps.root);
  const root = `${apps.root}/locks`;
  if (isInUse) await (await apps.replica({ root })).acquire('order:1');
  const credentials = { username: 'billing', password: 'guessed-0815' };
  const changes = await changesBy(apps.root, async () => {
    const board = await startBoard(apps, { connection: { root, credentials } });
    expect((await board.keys()).total).toBe(isInUse ? 1 : 0);
    expect((await board.key('order:1')).holders).toHaveLength(isInUse ? 1 : 0);
  });
  expect(changes).toEqual([]);
});
