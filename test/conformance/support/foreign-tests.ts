import { afterAll, beforeAll, expect, test } from 'vitest';
import { InspectClient } from '../../support/inspect-client.js';
import { sharedServer, uniqueRoot } from '../../support/shared-server.js';
import type { ForeignClient } from './foreign-client.js';

/** Starts a client that works at `connectString` below `root`, and nowhere else. */
export type StartForeignClient = (
  connectString: string,
  root: string,
) => ForeignClient | Promise<ForeignClient>;

/**
 * One test for each scenario of a foreign client, in so many processes at a time, each of which runs
 * one after another in a place of its own.
 *
 * @param sentences what each scenario shows, by its name
 */
export function testForeignClient(
  start: StartForeignClient,
  sentences: Readonly<Record<string, string>>,
  { processes = 1 } = {},
): void {
  const { connectString } = sharedServer();
  const roots = Array.from({ length: processes }, () => uniqueRoot());
  const clients: ForeignClient[] = [];

  beforeAll(async () => {
    clients.push(...(await Promise.all(roots.map(async (root) => start(connectString, root)))));
    await Promise.all(clients.map((client) => client.scenarios));
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.stop()));
    await using inspector = await InspectClient.connect(connectString);
    for (const root of roots) await inspector.deleteTree(root);
  });

  test('its scenarios are the ones that are tested here', async () => {
    expect([...(await clients[0]!.scenarios)].sort()).toEqual(Object.keys(sentences).sort());
  });

  // As "%s": a sentence inserted by its name is cut short.
  const cases = Object.entries(sentences).map(
    ([name, sentence], index) => [sentence, name, index % processes] as const,
  );
  const before = roots.map(() => Promise.resolve());
  test.concurrent.each(cases)('%s', async (_sentence, name, place) => {
    const run = before[place]!.then(() => clients[place]!.run(name));
    before[place] = run.catch(() => undefined);
    await run;
  });

  test('nothing is left of it', async () => {
    await using inspector = await InspectClient.connect(connectString);
    for (const root of roots) expect(await inspector.tree(root)).toEqual([]);
  });
}
