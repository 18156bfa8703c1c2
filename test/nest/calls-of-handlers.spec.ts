import { Controller, Param, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Locked, LockService } from 'nestjs-zk-lock';
import { defer, lastValueFrom, Observable, of } from 'rxjs';
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

it.each(['promise', 'stream', 'promised-stream'])(
  'does not affect calls that the handler makes without awaiting them, even of the same method: %s',
  async (path) => {
    let inBackground: Promise<unknown> | undefined;
    @Controller()
    class Films {
      @Post('promise/:film')
      @Locked('{0}')
      async promise(@Param('film') film: string): Promise<string> {
        if (film === 'first') inBackground = this.promise('busy');
        return Promise.resolve(film);
      }

      @Post('stream/:film')
      @Locked('{0}')
      stream(@Param('film') film: string): Observable<string> {
        return defer(() => {
          if (film === 'first') inBackground = lastValueFrom(this.stream('busy'));
          return of(film);
        });
      }

      @Post('promised-stream/:film')
      @Locked('{0}')
      async promisedStream(@Param('film') film: string): Promise<unknown> {
        if (film !== 'first') return Promise.resolve(film);
        return Promise.resolve(
          defer(() => {
            inBackground = this.promisedStream('busy');
            return of(film);
          }),
        );
      }
    }
    const { locks, post } = await listen(Films);
    expect(await post(`/${path}/first`)).toBe(201);
    locks.free();
    expect(await inBackground).toBe('busy');
  },
);
