import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutant.js';

const libraries = fileURLToPath(new URL('../../../libs/', import.meta.url));

/**
 * @throws {Error} if `from` does not occur exactly once, because the source has changed since the
 * mutant was written
 */
export function changedSource(mutant: Mutant): string {
  const { name, file, from, to } = mutant;
  const source = readFileSync(sourceOf(mutant), 'utf8');
  const places = source.split(from).length - 1;
  if (places !== 1) {
    throw new Error(`the text of the mutant "${name}" occurs ${places} times in ${file}`);
  }
  // As a string, `$` would be special.
  return source.replace(from, () => to);
}

export function sourceOf({ name, file }: Mutant): string {
  const found = ['zk-client', 'zk-locks']
    .map((library) => join(libraries, library, 'src', file))
    .find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(`the mutant "${name}" changes ${file}, which no library has`);
}
