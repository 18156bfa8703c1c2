import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileWithCurator, curatorArguments } from '../../support/curator-java.js';
import { ForeignClient } from '../support/foreign-client.js';

const sources = fileURLToPath(new URL('driver', import.meta.url));

/** Compiles the driver into a folder. */
export async function compileCuratorDriver(classes: string): Promise<void> {
  const files = readdirSync(sources).filter((name) => name.endsWith('.java'));
  await compileWithCurator(
    classes,
    files.map((name) => join(sources, name)),
  );
}

/** Starts the driver that was compiled into a folder. */
export function startCuratorDriver(classes: string, ...place: [string, string]): ForeignClient {
  return new ForeignClient('java', ...curatorArguments(classes, 'Driver'), ...place);
}
