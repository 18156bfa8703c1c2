import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileWithCurator, curatorArguments } from '../../support/curator-java.js';
import { Partner } from './partner.js';

/** Starts a partner that connects to these servers. */
export type StartPartner = (connectString: string, sessionTimeoutMs?: number) => Promise<Partner>;

const here = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Debian's Python, which has kazoo from `python3-kazoo`. PATH may lead to another Python. */
const PYTHON = '/usr/bin/python3';

/** @param digest `user:password` of the only user with access to its nodes */
export const startKazoo = (
  connectString: string,
  sessionTimeoutMs = 10_000,
  digest?: string,
): Promise<Partner> =>
  Partner.start(PYTHON, [
    ...['-B', here('partners/kazoo_partner.py')],
    ...[connectString, String(sessionTimeoutMs), ...(digest === undefined ? [] : [digest])],
  ]);

/** Also compiles the example that the partner runs. */
export const startCurator: StartPartner = async (connectString, sessionTimeoutMs = 10_000) => {
  const sources = ['partners/curator', 'examples'].map(here).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.java'))
      .map((name) => join(folder, name)),
  );
  return Partner.start('java', [
    ...curatorArguments(await compileWithCurator(sources), 'Partner'),
    ...[connectString, String(sessionTimeoutMs)],
  ]);
};
