import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';

/**
 * Replaces a function of a Node module for the rest of the test file. `vi.mock` would be too late
 * if another file of this process has already loaded the module that uses it.
 *
 * @param module the default export of one of Node's modules
 */
export function replaceBuiltin<M extends object, K extends keyof M>(
  module: M,
  name: K,
  replacement: M[K],
): void {
  const original = module[name];
  const put = (value: M[K]): void => {
    module[name] = value;
    syncBuiltinESMExports();
  };
  put(replacement);
  afterAll(() => put(original));
}
