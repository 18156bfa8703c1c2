/** Prints a line. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What a program was called with; undefined, and said, where it cannot be called so. */
export function readCommandLine<T>(
  parse: (args: readonly string[]) => T,
  usage: string,
): T | undefined {
  try {
    return parse(process.argv.slice(2));
  } catch (error) {
    say(`${(error as Error).message}\n\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
}
