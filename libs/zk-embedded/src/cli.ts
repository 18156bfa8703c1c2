import { parseOptions, USAGE, UsageError } from './cli-options.js';
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

function explain(error: unknown): string {
  if (error instanceof UsageError) return `zk-embedded: ${error.message}\n\n${USAGE}`;
  // The message of an option error needs no usage text. The command's default port is not that of the option.
  if (error instanceof TypeError) return `${error.message.replace(/ Omit it for .*/, '')}\n`;
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
