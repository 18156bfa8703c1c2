import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileWithCurator, curatorArguments } from '../support/curator-java.js';
import { InspectClient } from '../support/inspect-client.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';

const source = (name: string): string => fileURLToPath(new URL(`foreign/${name}`, import.meta.url));

const AREAS = ['nodes', 'transactions', 'access lists', 'watches', 'sessions'];

/** Each takes the server's address and a root, and prints the areas that work. */
const PROGRAMS = {
  kazoo: async () => ['/usr/bin/python3', '-B', source('areas.py')],
  async Curator() {
    const classes = await compileWithCurator(['Areas.java', 'DroppedConnection.java'].map(source));
    return ['java', ...curatorArguments(classes, 'Areas')];
  },
};

describe.each(Object.entries(PROGRAMS))('%s', (_name, prepare) => {
  const root = uniqueRoot();
  let printed = { stdout: '', stderr: '' };

  beforeAll(async () => {
    const { connectString } = sharedServer();
    await using inspector = await InspectClient.connect(connectString);
    await inspector.create(root, '');
    const [command, ...args] = await prepare();
    const timeout = 25_000;
    printed = await promisify(execFile)(command!, [...args, connectString, root], { timeout });
    await inspector.deleteTree(root);
  });

  it.each(AREAS)('works on this server: %s', (area) => {
    expect(printed.stdout.split('\n'), printed.stderr).toContain(area);
  });
});
