import { createInterface } from 'node:readline';

/** A program's commands: names with functions from JSON values to JSON values. */
export type CommandTable<C> = { readonly [K in keyof C]: (...args: never[]) => unknown };

/** The implementation of an interface's commands, immediate or asynchronous. */
export type Serving<C extends CommandTable<C>> = {
  readonly [K in keyof C]: (
    ...args: Parameters<C[K]>
  ) => ReturnType<C[K]> | Promise<ReturnType<C[K]>>;
};

/** The program's options, from its first argument as JSON. */
export function startOptions(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}

/** Sends a message that is not an answer: one JSON object a line, without an id. */
export function tell(message: object): void {
  const text = JSON.stringify(message, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  process.stdout.write(`${text}\n`);
}

/**
 * Serves a `CommandProcess` (`test/support`), which is ready from now on.
 *
 * @param end called when the input ends, as it does when the commanding process exits
 * @param ready the message that reports readiness
 * @returns a function that stops listening, so that the process can exit
 */
export function serve<C extends CommandTable<C>>(
  commands: Serving<C>,
  end: () => unknown,
  ready: unknown = null,
): () => void {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => void answer(commands, line));
  process.stdin.once('end', () => void end());
  tell({ id: 0, value: ready });
  return () => {
    lines.close();
    process.stdin.destroy();
  };
}

type AnyCommands = Readonly<Record<string, (...args: unknown[]) => unknown>>;

async function answer(commands: object, line: string): Promise<void> {
  const [id, what, ...args] = JSON.parse(line) as [number, string, ...unknown[]];
  try {
    const value = await (commands as AnyCommands)[what]?.(...args);
    tell({ id, value: value ?? null });
  } catch (error) {
    tell({ id, error: describe(error), code: (error as { code?: unknown }).code });
  }
}

/** Includes the causes, which contain the server's answer. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = String(error), cause } = error;
  return cause === undefined ? stack : `${stack}\ncaused by: ${describe(cause)}`;
}
