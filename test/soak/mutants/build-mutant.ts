import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCode } from '../../../scripts/packages/bundle.mjs';
import type { Mutant } from './mutant.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const original = join(repository, 'libs/zk-locks');
/** The worker's imports, which require the library. */
const importer = join(repository, 'libs/nestjs-zk-lock');

/**
 * Builds the library with one source changed, and puts a copy of the worker beside it.
 *
 * @returns the worker's main file
 * @throws {Error} if the source has changed since the mutant was written
 */
export async function buildMutant(mutant: Mutant): Promise<string> {
  // Within the repository, so that all other packages are found.
  const directory = join(repository, 'reports/mutants', mutant.name.replace(/\W+/g, '-'));
  const library = join(directory, 'node_modules/zk-locks');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(join(library, 'dist'), { recursive: true });
  cpSync(join(original, 'package.json'), join(library, 'package.json'));
  for (const part of ['package.json', 'dist']) {
    const copy = join(directory, 'node_modules/nestjs-zk-lock', part);
    cpSync(join(importer, part), copy, { recursive: true });
  }
  const workers = join(directory, 'workers');
  cpSync(join(repository, 'dist/test/workers'), workers, { recursive: true });
  const changed = join(original, 'src', mutant.file);
  const load = (id: string): string | undefined =>
    id === changed ? changedSource(mutant) : undefined;
  for (const { fileName, code } of await bundleCode(original, [{ name: 'mutant', load }])) {
    writeFileSync(join(library, 'dist', fileName), code);
  }
  return join(workers, 'soak/main.js');
}

/** @throws {Error} if the source has changed since the mutant was written */
export function changedSource({ name, file, from, to }: Mutant): string {
  const source = readFileSync(join(original, 'src', file), 'utf8');
  const places = source.split(from).length - 1;
  if (places !== 1) {
    throw new Error(`the mutant "${name}" changes ${file}, which has its text ${places} times`);
  }
  // A function, so that `$` in the text is not a pattern.
  return source.replace(from, () => to);
}
