import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { LockService } from 'nestjs-zk-lock';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';
import type {
  BoardContender,
  BoardKey,
  BoardKeys,
  BoardOverview,
} from '../../../libs/nestjs-zk-lock/src/board/board-api.js';
import type { TestApps } from '../../nest/support/test-apps.js';
import { waitFor } from '../../support/wait-for.js';

type BoardOptions = Parameters<typeof ZkLockBoardModule.forRoot>[0];

export interface BoardAppOptions {
  readonly board?: Partial<BoardOptions>;
  readonly metadata?: ModuleMetadata;
  readonly adapter?: AbstractHttpAdapter | undefined;
  readonly connection?: Parameters<TestApps['zkLock']>[0];
  /** Called before the application listens. */
  readonly configure?: (app: INestApplication) => void;
  /** The board's path, with the global prefix. */
  readonly at?: string;
}

export interface BoardApp {
  readonly app: INestApplication;
  readonly locks: LockService;
  /** The address of the page. */
  readonly url: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  overview(headers?: Record<string, string>): Promise<BoardOverview>;
  /** Resolves once the keys have been read. */
  keys(query?: string): Promise<BoardKeys>;
  /** Like {@link keys}. */
  key(name: string, query?: string): Promise<BoardKey>;
  /** Requests an action as the page does, unless other headers are given. */
  act(
    action: string,
    body: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response>;
}

/** Starts an application with a lock board, open to everyone unless the options say otherwise. */
export async function startBoard(
  apps: TestApps,
  { board, metadata, adapter, connection, configure, at = 'locks' }: BoardAppOptions = {},
): Promise<BoardApp> {
  const options = { guards: 'none', ...board } as BoardOptions;
  const imports = [
    apps.zkLock({ application: 'shop', ...connection }),
    ZkLockBoardModule.forRoot(options),
  ];
  const built = await apps.build(
    { ...metadata, imports: [...imports, ...(metadata?.imports ?? [])] },
    adapter,
  );
  configure?.(built);
  await built.listen(0, '127.0.0.1');
  const url = `${await built.getUrl()}/${at}`;
  const get = (path: string, headers = {}): Promise<Response> =>
    fetch(`${url}${path}`, { headers });
  const read = async <T>(path: string, headers = {}): Promise<T> => {
    const response = await get(path, headers);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  return {
    app: built,
    locks: built.get(LockService),
    ...{ url, get },
    overview: (headers) => read('/overview', headers),
    keys: (query = '') => untilRead(() => read(`/keys?${query}`)),
    key: (name, query = '') =>
      untilRead(() => read(`/key?key=${encodeURIComponent(name)}&${query}`)),
    act: (action, body, headers, signal) =>
      fetch(`${url}/actions/${action}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          ...(headers ?? { origin: new URL(url).origin }),
        },
        ...(signal && { signal }),
      }),
  };
}

/** On a busy machine, the first read takes longer than a request waits for it. */
function untilRead<T extends { readonly isReading?: true }>(ask: () => Promise<T>): Promise<T> {
  const answered = async (): Promise<T | undefined> => {
    const answer = await ask();
    return answer.isReading ? undefined : answer;
  };
  return waitFor(answered, { what: 'the keys to be read' });
}

export const labelsOf = (contenders: readonly BoardContender[]): unknown[] =>
  contenders.map(({ label }) => label);
