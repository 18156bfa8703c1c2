import { ownFile } from './own-file.js';

/** Written by the bundler; the sources themselves have none. */
declare const PACKAGE_VERSION: string | undefined;

interface Copy {
  readonly version: string;
  readonly file: string;
}

/** All copies register here, whatever their version, so neither the name nor the shape may change. */
const COPIES = Symbol.for('nestjs-zk-lock.copies');
const shared = globalThis as { [COPIES]?: Copy[] };
const copies = (shared[COPIES] ??= []);

const own: Copy = {
  version: typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : 'from source',
  file: ownFile,
};

// A test runner that resets its modules loads the same copy again.
if (!copies.some(({ version, file }) => version === own.version && file === own.file)) {
  copies.push(own);
  const problem = copiesProblem();
  if (problem) process.emitWarning(problem, { code: 'ZK_LOCK_COPIES' });
}

/**
 * What is wrong, and what to do, where several copies are loaded in this process: two versions, or one
 * in a bundle beside an installed one. Undefined where there is only this one.
 */
export function copiesProblem(): string | undefined {
  if (copies.length === 1) return undefined;
  const places = copies.map(({ version, file }) => `${version} at ${file}`).join(', ');
  return (
    `This process has loaded ${copies.length} copies of nestjs-zk-lock: ${places}. ` +
    'Each has its own classes, so one does not find the LockService, the locks and the errors of another. ' +
    'Install one version (`npm ls nestjs-zk-lock` lists them), and let bundlers include it in everything or in nothing.'
  );
}
