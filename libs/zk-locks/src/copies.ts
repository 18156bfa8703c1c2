interface Copy {
  readonly version: string;
  readonly file: string;
}

/**
 * Every copy registers here, whatever its version, so neither the symbols nor the shape may change.
 */
type Copies = Record<symbol, Copy[] | undefined>;

/**
 * Registers a copy of a package that this process has loaded, and returns a warning if it is not
 * the only one.
 *
 * @returns what is wrong and what to do when several copies are loaded: two versions, or one in a
 * bundle beside an installed one. Undefined when there is only one
 */
export function registerCopy(
  name: string,
  version: string,
  file: string,
): () => string | undefined {
  const copies = ((globalThis as Copies)[Symbol.for(`${name}.copies`)] ??= []);
  const problem = (): string | undefined => problemOf(name, copies);
  // A test runner that resets its modules loads the same copy again.
  if (!copies.some((copy) => version === copy.version && file === copy.file)) {
    copies.push({ version, file });
    const warning = problem();
    if (warning) process.emitWarning(warning, { code: 'ZK_LOCK_COPIES' });
  }
  return problem;
}

function problemOf(name: string, copies: readonly Copy[]): string | undefined {
  if (copies.length === 1) return undefined;
  const places = copies.map(({ version, file }) => `${version} at ${file}`).join(', ');
  return (
    `This process has loaded ${copies.length} copies of ${name}: ${places}. ` +
    'Each has its own classes, so one copy does not recognize the services, locks and errors of another. ' +
    `Install one version (\`npm ls ${name}\` lists them), and have bundlers include it in every bundle or in none.`
  );
}
