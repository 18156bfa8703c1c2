import { flagOf, parseOptions, USAGE, UsageError } from './cli-options.js';
import { EmbeddedServer } from './embedded-server.js';
import { type EmbeddedZooKeeperOptions, formatAddress, resolveOptions } from './options.js';

function print(text: string): void {
  process.stdout.write(text);
}

async function serve(options: EmbeddedZooKeeperOptions): Promise<void> {
  const { host } = resolveOptions(options);
  const zk = await EmbeddedServer.start(options);
  print(`zk-embedded: serving at ${formatAddress(host, zk.port)}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void zk.stop());
  }
}

/** Names the flag. The default is left out, as the command's default port is not the option's. */
function explainOption(message: string): string {
  return message
    .replace(/ Omit it for .*/, '')
    .replace(/(?<=^zk-embedded: )\w+(?= must be )/, (option) => `--${flagOf(option)}`);
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `zk-embedded: ${error.message}\n\n${USAGE}`;
  if (error instanceof TypeError) return `${explainOption(error.message)}\n`;
  const { code, message } = error as NodeJS.ErrnoException;
  const remedy =
    code === 'EADDRINUSE' ? ' Choose another port with --port, or any free one with --port 0.' : '';
  return `zk-embedded: ${message}.${remedy}\n`;
}

async function main(): Promise<void> {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options === 'help') print(USAGE);
    else await serve(options);
  } catch (error) {
    process.stderr.write(explain(error));
    process.exitCode = 1;
  }
}

void main();
