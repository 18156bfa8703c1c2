import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Mutant } from './mutant.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Copies the library as it was built, with one file changed, and the worker beside it.
 *
 * @returns the worker's main file
 * @throws {Error} when the source is no longer what the mutant was made for
 */
export function buildMutant(mutant: Mutant): string {
  // Within the repository, so that all other packages are found.
  const directory = join(repository, 'reports/mutants', mutant.name.replace(/\W+/g, '-'));
  const library = join(directory, 'node_modules/nestjs-zk-lock');
  const worker = join(directory, 'soak-worker');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  copyBuilt('libs/zk-lock', library);
  copyBuilt('apps/soak-worker', worker);
  writeFileSync(join(library, 'dist', mutant.file.replace(/ts$/, 'js')), compile(mutant));
  return join(worker, 'dist/main.js');
}

function copyBuilt(from: string, to: string): void {
  for (const part of ['package.json', 'dist']) {
    cpSync(join(repository, from, part), join(to, part), { recursive: true });
  }
}

const compilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
};

function compile(mutant: Mutant): string {
  return ts.transpileModule(changedSource(mutant), { compilerOptions }).outputText;
}

/** @throws {Error} when the source is no longer what the mutant was made for */
export function changedSource({ name, file, from, to }: Mutant): string {
  const source = readFileSync(join(repository, 'libs/zk-lock/src', file), 'utf8');
  const places = source.split(from).length - 1;
  if (places !== 1) {
    throw new Error(`the mutant "${name}" changes ${file}, which has its text ${places} times`);
  }
  // A function, so that nothing in the text is taken for a pattern.
  return source.replace(from, () => to);
}
