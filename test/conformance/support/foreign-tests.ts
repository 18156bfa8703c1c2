import { afterAll, beforeAll, expect, test } from 'vitest';
import { InspectClient } from '../../support/inspect-client.js';
import { sharedServer, uniqueRoot } from '../../support/shared-server.js';
import type { ForeignClient } from './foreign-client.js';

/** Starts a client that works at `connectString` below `root`, and nowhere else. */
export type StartForeignClient = (connectString: string, root: string) => ForeignClient;

/**
 * One test for each scenario of a foreign client, one after another in one process.
 *
 * @param sentences what each scenario shows, by its name
 */
export function testForeignClient(
  start: StartForeignClient,
  sentences: Readonly<Record<string, string>>,
): void {
  const { connectString } = sharedServer();
  const root = uniqueRoot();
  let client: ForeignClient;

  beforeAll(async () => {
    client = start(connectString, root);
    await client.scenarios;
  });

  afterAll(async () => {
    await client.stop();
    await using inspector = await InspectClient.connect(connectString);
    await inspector.deleteTree(root);
  });

  test('its scenarios are the ones that are tested here', async () => {
    expect([...(await client.scenarios)].sort()).toEqual(Object.keys(sentences).sort());
  });

  // As "%s": a sentence inserted by its name is cut short.
  const cases = Object.entries(sentences).map(([name, sentence]) => [sentence, name] as const);
  test.each(cases)('%s', (_sentence, name) => client.run(name));

  test('nothing is left of it', async () => {
    await using inspector = await InspectClient.connect(connectString);
    expect(await inspector.tree(root)).toEqual([]);
  });
}
