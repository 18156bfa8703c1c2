import { parseArgs } from 'node:util';
import type { EmbeddedZooKeeperOptions } from './options.js';

type NumberOption = Exclude<keyof EmbeddedZooKeeperOptions, 'host'>;

const NUMBERS: readonly (readonly [flag: string, option: NumberOption, help: string])[] = [
  ['port', 'port', '0 takes any free port (default 2181)'],
  ['tick-time-ms', 'tickTimeMs', '(default 2000)'],
  ['min-session-timeout-ms', 'minSessionTimeoutMs', '(default two ticks)'],
  ['max-session-timeout-ms', 'maxSessionTimeoutMs', '(default 20 ticks)'],
  ['container-check-interval-ms', 'containerCheckIntervalMs', '(default 60000)'],
  [
    'max-client-connections',
    'maxClientConnections',
    'of one address; 0 means no limit (default 60)',
  ],
  ['max-buffer-bytes', 'maxBufferBytes', 'of one request (default 1048575)'],
];

const helpLine = (flag: string, help: string): string => `  ${`--${flag}`.padEnd(36)}${help}\n`;

export const USAGE = `Usage: zk-embedded [options]

An Apache ZooKeeper server in memory, for development and tests. It prints its address when it is
ready. Press Ctrl-C to stop it; its data is not kept.

${helpLine('host <address>', '(default 127.0.0.1)')}${NUMBERS.map(([flag, , help]) =>
  helpLine(`${flag} <n>`, help),
).join('')}${helpLine('help', 'prints this help')}`;

/** The command was called with unknown arguments; the message names them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws {UsageError} */
export function parseOptions(args: readonly string[]): EmbeddedZooKeeperOptions | 'help' {
  const values = parse(args);
  if (values.help === true) return 'help';
  const options: Record<string, unknown> = { port: 2181 };
  if (values.host !== undefined) options.host = values.host;
  for (const [flag, option] of NUMBERS) {
    const text = values[flag];
    if (typeof text === 'string') options[option] = toNumber(flag, text);
  }
  return options;
}

/** The flag of an option, without its dashes: `tick-time-ms`. */
export function flagOf(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function parse(args: readonly string[]): Record<string, string | boolean | undefined> {
  const text = { type: 'string' } as const;
  const options = Object.fromEntries(NUMBERS.map(([flag]) => [flag, text]));
  try {
    return parseArgs({
      args: [...args],
      options: { ...options, host: text, help: { type: 'boolean' } },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function toNumber(flag: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--${flag} must be a whole number; got "${text}".`);
}
