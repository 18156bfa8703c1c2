import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Locksmith } from '../locksmith.js';
import { SESSION_TIMEOUT_MS } from './session-timeout.js';

/** The part of npm `zookeeper` that is used here; its promises would cost more. */
interface Handle extends NodeJS.EventEmitter {
  readonly native: {
    a_create(
      path: string,
      data: Buffer,
      flags: number,
      done: (code: number, text: string, path: string) => void,
    ): number;
    a_delete_(path: string, version: number, done: (code: number) => void): number;
  };
  init(config: object): void;
  close(): void;
}

const NODE_EXISTS = -110;
const PERSISTENT = 0;
const EPHEMERAL_SEQUENTIAL = 3;
const NO_DATA = Buffer.alloc(0);

const ZooKeeper = createRequire(import.meta.url)('zookeeper') as new (config: object) => Handle;

/** Not a lock, but the lower bound for one: a node created and deleted by npm `zookeeper`. */
export async function openRawNative(
  servers: string,
  { root = '/raw' }: { root?: string },
): Promise<Locksmith> {
  const handle = new ZooKeeper({ connect: servers, timeout: SESSION_TIMEOUT_MS });
  handle.init({});
  await once(handle, 'connect');
  const { native } = handle;

  const create = (path: string, flags: number): Promise<string> =>
    new Promise((resolve, reject) => {
      native.a_create(path, NO_DATA, flags, (code, text, created) => {
        if (code === 0 || code === NODE_EXISTS) resolve(created);
        else reject(new Error(`create ${path}: ${code} ${text}`));
      });
    });
  const remove = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      native.a_delete_(path, -1, (code) => {
        if (code === 0) resolve();
        else reject(new Error(`delete ${path}: ${code}`));
      });
    });

  const directories = new Set<string>();
  const directory = async (path: string): Promise<string> => {
    if (!directories.has(path)) await create(path, PERSISTENT);
    directories.add(path);
    return path;
  };
  const top = await directory(root);
  return {
    async take(key) {
      const path = await create(`${await directory(`${top}/${key}`)}/n-`, EPHEMERAL_SEQUENTIAL);
      return () => remove(path);
    },
    close: () => {
      handle.close();
      return Promise.resolve();
    },
  };
}
