import { compileCurator } from '../interop/support/start.js';
import { makeTempDir } from '../support/temp-dir.js';
import type { StartContender } from './contender.js';
import { curatorContender, startKazooContender } from './foreign-contender.js';
import { startOurs } from './our-contender.js';

export const LIBRARIES = ['ours', 'curator', 'kazoo'] as const;
export type LibraryName = (typeof LIBRARIES)[number];

export interface Library {
  readonly name: LibraryName;
  readonly start: StartContender;
}

export function prepare(names: readonly LibraryName[]): Promise<Library[]> {
  return Promise.all(names.map(async (name) => ({ name, start: await starter(name) })));
}

async function starter(name: LibraryName): Promise<StartContender> {
  switch (name) {
    case 'ours':
      return startOurs;
    case 'kazoo':
      return startKazooContender;
    case 'curator': {
      const classes = makeTempDir('margins-curator');
      await compileCurator(classes);
      return curatorContender(classes);
    }
  }
}
