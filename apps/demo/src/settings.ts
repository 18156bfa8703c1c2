import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { StartError } from './start-error.js';

/** The settings of a program, from the environment. */
export class Settings {
  constructor(
    readonly port: number,
    /** The ZooKeeper to use; without it the program starts one of its own. */
    readonly zkConnect: string | undefined,
    /** The file of sold counts that all replicas share. */
    readonly stateFile: string,
    /** The replica's name in lock nodes, and so on the lock board. */
    readonly name: string,
  ) {}
}

const DEFAULT_PORT = '3000';
const DEFAULT_STATE = join(tmpdir(), 'nestjs-zk-lock-demo.jsonl');

/** @throws {StartError} when PORT is not a port number */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  return new Settings(
    parsePort(given(env.PORT) ?? DEFAULT_PORT),
    given(env.ZK_CONNECT),
    resolve(given(env.DEMO_STATE) ?? DEFAULT_STATE),
    given(env.DEMO_NAME) ?? 'box office',
  );
}

function given(value: string | undefined): string | undefined {
  return value?.trim() === '' ? undefined : value;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new StartError(`PORT is "${text}": use a number from 0 (any free port) to 65535.`);
}
