/** Prints a line. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The parsed arguments of a program; undefined, after a message, if they are invalid. */
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
