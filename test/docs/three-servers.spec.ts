import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { blocksIn } from '../support/documentation.js';

const docs = new URL('../../docs/', import.meta.url);

interface Compose {
  readonly services: Readonly<Record<string, { environment: Record<string, string | number> }>>;
}

/** The configuration lines that the image's entry point generates from each variable. */
const SETTINGS = {
  ZOO_INIT_LIMIT: 'initLimit=',
  ZOO_SYNC_LIMIT: 'syncLimit=',
  ZOO_AUTOPURGE_PURGEINTERVAL: 'autopurge.purgeInterval=',
  ZOO_4LW_COMMANDS_WHITELIST: '4lw.commands.whitelist=',
};

it('docs/operating.md: zoo.cfg and compose.yaml have the same settings', () => {
  const { services } = parse(readFileSync(new URL('compose.yaml', docs), 'utf8'), {
    merge: true,
  }) as Compose;
  const blocks = blocksIn(new URL('operating.md', docs));
  const file = blocks.find(({ language }) => language === 'properties')?.code.split('\n') ?? [];
  const members = file.filter((line) => line.startsWith('server.'));
  expect(Object.keys(services)).toEqual(members.map((_, index) => `zk${String(index + 1)}`));
  Object.values(services).forEach(({ environment }, index) => {
    const { ZOO_MY_ID, ZOO_SERVERS, ...settings } = environment;
    expect(ZOO_MY_ID).toBe(index + 1);
    // Each server's client port is in its address, as since ZooKeeper 3.5.
    expect(String(ZOO_SERVERS).split(' ')).toEqual(members.map((member) => `${member};2181`));
    expect(Object.keys(settings).toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
    for (const [variable, name] of Object.entries(SETTINGS)) {
      expect(file).toContain(`${name}${String(settings[variable])}`);
    }
  });
});
