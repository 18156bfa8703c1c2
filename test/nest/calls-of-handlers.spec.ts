import { Controller, Param, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Locked, LockService } from 'nestjs-zk-lock';
import { expect, it, onTestFinished } from 'vitest';

interface Options {
  readonly signal?: AbortSignal;
}

/** Grants a key at once, or on `free` if the key is `busy`. The signal ends a wait. */
class Locks {
  free!: () => void;
  readonly #freed = new Promise<void>((resolve) => (this.free = resolve));

  async withLock<T>(key: string, { signal }: Options, work: (lock: object) => T): Promise<T> {
    signal?.throwIfAborted();
    if (key === 'busy') {
      await new Promise<void>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        void this.#freed.then(resolve);
      });
    }
    return work({ key, mode: 'write', signal: new AbortController().signal });
  }
}

async function listen(controller: new () => object) {
  const locks = new Locks();
  const module = await Test.createTestingModule({
    controllers: [controller],
    providers: [{ provide: LockService, useValue: locks }],
  }).compile();
  const app = module.createNestApplication({ logger: false });
  onTestFinished(() => app.close());
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const post = async (path: string) => (await fetch(url + path, { method: 'POST' })).status;
  return { locks, post };
}

it('does not affect calls that the handler makes without awaiting them, even of the same method', async () => {
  let inBackground: Promise<string> | undefined;
  @Controller()
  class Films {
    @Post(':film')
    @Locked('{0}')
    async show(@Param('film') film: string): Promise<string> {
      if (film === 'first') inBackground = this.show('busy');
      return Promise.resolve(film);
    }
  }
  const { locks, post } = await listen(Films);
  expect(await post('/first')).toBe(201);
  locks.free();
  expect(await inBackground).toBe('busy');
});
