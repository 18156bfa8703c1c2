import { randomBytes } from 'node:crypto';

/** Settings from the environment. Port 0 takes any free port. */
export interface Settings {
  readonly platform: 'express' | 'fastify';
  readonly port: number;
  readonly tcpPort: number;
  /** The ZooKeeper to use; without it the application starts one of its own. */
  readonly zkConnect: string | undefined;
  /** Password of the lock board. */
  readonly boardPassword: string;
}

const NEW_PASSWORD = randomBytes(9).toString('base64url');

/** @throws {Error} that names the invalid variable */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const platform = env.PLATFORM ?? 'express';
  if (platform !== 'express' && platform !== 'fastify') {
    throw new Error(`PLATFORM is "${platform}": use express or fastify.`);
  }
  return {
    platform,
    port: parsePort('PORT', env.PORT ?? '3000'),
    tcpPort: parsePort('TCP_PORT', env.TCP_PORT ?? '3001'),
    zkConnect: env.ZK_CONNECT?.trim() === '' ? undefined : env.ZK_CONNECT,
    boardPassword: env.BOARD_PASSWORD ?? NEW_PASSWORD,
  };
}

function parsePort(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new Error(`${name} is "${text}": use a number from 0 (any free port) to 65535.`);
}
