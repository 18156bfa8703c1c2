import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changedSource, sourceOf } from './changed-source.js';
import type { Mutant } from './mutant.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The files that a test needs, including the build from which it starts processes. */
const PARTS = [
  ...['libs', 'apps', 'test', 'dist', 'scripts', 'package.json', 'vitest.config.ts'],
  // They contain the compiler options for decorators.
  ...['tsconfig.json', 'tsconfig.base.json'],
];

/** Bundles the libraries that mutants change, as processes load them. Types are not checked. */
const BUNDLE = `
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleCode } from './scripts/packages/bundle.mjs';
for (const folder of ['zk-client', 'zk-locks'].map((name) => join(process.cwd(), 'libs', name))) {
  for (const { fileName, code } of await bundleCode(folder)) {
    writeFileSync(join(folder, 'dist', fileName), code);
  }
}`;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/**
 * Runs a test file on a real server, beside a copy of the sources that contains the mutant.
 *
 * @returns the first failed test, or undefined if all have passed
 * @throws {Error} if the tests could not be run
 */
export function findByTest(mutant: Mutant, test: string): { evidence?: string } {
  // Placed inside the repository, so that all packages are resolved.
  const directory = join(repository, 'reports/mutants', 'by-test');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const filter = (path: string): boolean => basename(path) !== 'node_modules';
  for (const part of PARTS) {
    cpSync(join(repository, part), join(directory, part), { recursive: true, filter });
  }
  linkPackages(directory);
  writeFileSync(join(directory, relative(repository, sourceOf(mutant))), changedSource(mutant));

  const startsProcesses = test.endsWith('.e2e-spec.ts');
  if (startsProcesses) bundle(directory);
  const ofServers = test.includes('/long/') ? 'long' : 'integration';
  const project = startsProcesses ? ofServers : 'unit';
  const runner = join(repository, 'node_modules/vitest/vitest.mjs');
  const { output } = spawnSync(process.execPath, [runner, 'run', '--project', project, test], {
    cwd: directory,
    encoding: 'utf8',
  });
  const report = JSON.parse(readReport(directory, output.join('\n'))) as Report;
  rmSync(directory, { recursive: true });
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  if (results.length === 0) throw new Error(`no test of ${test} was run: ${output.join('\n')}`);
  const failed = results.find(({ status }) => status === 'failed');
  if (!failed) return {};
  const [message = ''] = failed.failureMessages ?? [];
  return { evidence: `"${failed.title}": ${message.split('\n', 1)[0] ?? ''}` };
}

/** Links the copy's libraries, which processes load in their built form. */
function linkPackages(directory: string): void {
  const packages = join(directory, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(repository, 'node_modules'))) {
    const library = join(directory, 'libs', name);
    const target = existsSync(library) ? library : join(repository, 'node_modules', name);
    symlinkSync(target, join(packages, name));
  }
}

function bundle(directory: string): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', BUNDLE],
    { cwd: directory, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the libraries could not be bundled: ${stderr}`);
}

function readReport(directory: string, output: string): string {
  try {
    return readFileSync(join(directory, 'reports/tests.json'), 'utf8');
  } catch (error) {
    throw new Error(`the tests did not run: ${output}`, { cause: error });
  }
}
