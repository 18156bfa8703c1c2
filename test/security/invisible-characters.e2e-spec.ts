import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { directoryOf } from '../../libs/zk-locks/src/lock/key-path.js';
import { startBoard } from '../board/support/board-app.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { InspectClient } from '../support/inspect-client.js';
import { sharedServer } from '../support/shared-server.js';

const apps = useTestApps();

/** Characters that are invisible or change the order of others. */
const UNSEEN = /(?![ \n])[\p{C}\p{Zl}\p{Zp}]/u;

it('are cleaned where the board shows what strangers have written', async () => {
  const board = await startBoard(apps);
  await using inspector = await InspectClient.connect(sharedServer().connectString);
  const evil = 'k5\u202eevil\u009b2K';
  const node = `_c_${randomUUID()}-__WRIT__0000000001`;
  const data = {
    host: evil,
    pid: 1,
    application: evil,
    label: evil,
    since: 'x',
    holds: [`${evil}/n`],
  };
  await inspector.create(apps.root);
  const directories: string[] = [];
  for (const [key, text] of [
    [evil, JSON.stringify(data)],
    ['foreign', evil],
  ] as const) {
    const directory = directoryOf(apps.root, key);
    await inspector.create(directory);
    await inspector.create(`${directory}/${node}`, text);
    directories.push(directory);
  }
  await inspector.create(`${apps.root}/foreign/plain\u202e`);
  await inspector.create(`${apps.root}-runs`);
  const run = { guid: 'g', askedAt: 1, epoch: 1, outcome: 'done', tookMs: 1, everyMs: 1 };
  const record = JSON.stringify({ ...run, host: evil, pid: 1, application: evil });
  await inspector.create(`${apps.root}-runs/foreign`, record);
  directories.push(`${apps.root}-runs`);

  const { problems } = await board.overview();
  expect(problems.map(({ kind }) => kind)).toContain('ownerless');
  for (const { text } of problems) expect(text).not.toMatch(UNSEEN);
  const key = await board.key(evil);
  const shown = 'k5\\u{202e}evil\\u{9b}2K';
  expect(key.holders).toMatchObject([{ label: shown, application: shown, host: shown }]);
  const foreign = await board.key('foreign');
  expect(foreign.holders).toMatchObject([{ label: shown }]);
  expect(foreign.lastRun!.by).toBe(`${shown} on ${shown} (pid 1)`);
  for (const directory of directories) await inspector.deleteTree(directory);
});
