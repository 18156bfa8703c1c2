import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCode } from '../../../scripts/packages/bundle.mjs';
import type { Mutant } from './mutant.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
/** In which a mistake can be put, each before those that require it. */
const LIBRARIES = ['zk-client', 'zk-locks'] as const;
/** All that the worker loads has to require the changed one. */
const COPIED = [...LIBRARIES, 'nestjs-zk-lock'];
const folderOf = (library: string): string => join(repository, 'libs', library);

/**
 * Builds a library with one source changed, and puts copies of the others and of the worker beside it.
 *
 * @returns the worker's main file
 * @throws {Error} if the source has changed since the mutant was written
 */
export async function buildMutant(mutant: Mutant): Promise<string> {
  // Within the repository, so that all other packages are found.
  const directory = join(repository, 'reports/mutants', mutant.name.replace(/\W+/g, '-'));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const library of COPIED) {
    for (const part of ['package.json', 'dist']) {
      const copy = join(directory, 'node_modules', library, part);
      cpSync(join(folderOf(library), part), copy, { recursive: true });
    }
  }
  const workers = join(directory, 'workers');
  cpSync(join(repository, 'dist/test/workers'), workers, { recursive: true });
  const library = libraryOf(mutant);
  const changed = sourceOf(mutant);
  const load = (id: string): string | undefined =>
    id === changed ? changedSource(mutant) : undefined;
  for (const { fileName, code } of await bundleCode(folderOf(library), [
    { name: 'mutant', load },
  ])) {
    writeFileSync(join(directory, 'node_modules', library, 'dist', fileName), code);
  }
  return join(workers, 'soak/main.js');
}

/** @throws {Error} if the source has changed since the mutant was written */
export function changedSource(mutant: Mutant): string {
  const { name, file, from, to } = mutant;
  const source = readFileSync(sourceOf(mutant), 'utf8');
  const places = source.split(from).length - 1;
  if (places !== 1) {
    throw new Error(`the mutant "${name}" changes ${file}, which has its text ${places} times`);
  }
  // A function, so that `$` in the text is not a pattern.
  return source.replace(from, () => to);
}

/** The file that is changed. */
export function sourceOf(mutant: Mutant): string {
  return join(folderOf(libraryOf(mutant)), 'src', mutant.file);
}

function libraryOf({ name, file }: Mutant): string {
  const found = LIBRARIES.find((library) => existsSync(join(folderOf(library), 'src', file)));
  if (found) return found;
  throw new Error(`the mutant "${name}" changes ${file}, which is in no library`);
}
