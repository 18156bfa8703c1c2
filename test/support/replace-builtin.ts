import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';

/**
 * Whoever imports this function of Node calls `replacement` until the end of the file of tests. `vi.mock`
 * would come too late where another file of this process has loaded the importing module before.
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
