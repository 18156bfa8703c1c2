import { Injectable, StreamableFile, applyDecorators } from '@nestjs/common';
import { LockService, Locked, LockedDecoratorError, OnlyLeader, currentLock } from 'nestjs-zk-lock';
import { EventEmitter, on } from 'node:events';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

/** The actions of the method bodies below. */
let steps: string[];
let emitter: EventEmitter;
beforeEach(() => {
  steps = [];
  emitter = new EventEmitter();
});

async function* rows(): AsyncGenerator<string> {
  steps.push('begun');
  try {
    yield await Promise.resolve('row');
  } finally {
    currentLock().assertHeld();
    steps.push('ended under its lock');
  }
}

function* numbers(): Generator<number> {
  steps.push('begun');
  yield 1;
}

@Injectable()
class Feeds {
  @applyDecorators(Locked('feed'))
  async *generator(): AsyncGenerator<string> {
    yield* rows();
  }

  @Locked('feed')
  async promisedSync(): Promise<Generator<number>> {
    return Promise.resolve(numbers());
  }

  @Locked('feed')
  async iterator(): Promise<AsyncIterator<unknown>> {
    return Promise.resolve(on(emitter, 'row'));
  }

  @applyDecorators(OnlyLeader('feeds'))
  async *leading(): AsyncGenerator<string> {
    yield* rows();
  }

  @Locked('feed')
  async begun(): Promise<AsyncGenerator<string>> {
    const generator = rows();
    await generator.next();
    return generator;
  }

  @Locked('feed')
  async failing(): Promise<AsyncIterator<string>> {
    const failing: AsyncIterableIterator<string> = {
      next: () => Promise.resolve({ value: 'row' }),
      return: () => Promise.reject(new RangeError('cannot end')),
      [Symbol.asyncIterator]: () => failing,
    };
    return Promise.resolve(failing);
  }

  @Locked('feed')
  async readable(): Promise<Readable> {
    return Promise.resolve(Readable.from(['row']));
  }

  @Locked('feed')
  async file(): Promise<StreamableFile> {
    return Promise.resolve(new StreamableFile(Readable.from(['row'])));
  }

  @Locked('feed')
  async values(): Promise<Iterable<string>> {
    return Promise.resolve(new Map([['a', 'row']]).values());
  }
}

async function build() {
  const app = await apps.start({ imports: [apps.zkLock()], providers: [Feeds] });
  const locks = app.get(LockService);
  await locks.election('feeds').whenLeader();
  return { feeds: app.get(Feeds), locks };
}

/** Only the leadership is held. */
async function expectFree(): Promise<void> {
  const nodes = await apps.lockNodes();
  expect(nodes.map((node) => node.split('/')[0])).toEqual(['feeds']);
}

describe('a decorated method that would work when its result is read', () => {
  it.each([
    ['an async generator', 'generator', '@Locked()'],
    ['the promise of a generator', 'promisedSync', '@Locked()'],
    ['the promise of an async iterator', 'iterator', '@Locked()'],
    ['an async generator of the leader', 'leading', '@OnlyLeader()'],
  ] as const)('is refused, and does nothing, as %s', async (_kind, name, decorator) => {
    const { feeds } = await build();
    const refused = Promise.resolve(feeds[name]());
    await expect(refused).rejects.toThrow(LockedDecoratorError);
    await expect(refused).rejects.toThrow(
      `${decorator} on Feeds.${name}: it returned a generator or an async iterator`,
    );
    await expect(refused).rejects.toThrow('and return an array');
    expect(steps).toEqual([]);
    expect(emitter.listenerCount('row')).toBe(0);
    await expectFree();
  });

  it('is ended under its lock if it has begun', async () => {
    const { feeds } = await build();
    await expect(feeds.begun()).rejects.toThrow(LockedDecoratorError);
    expect(steps).toEqual(['begun', 'ended under its lock']);
    await expectFree();
  });
});

describe('a decorated method', () => {
  it('may return streams, which are read after the release, and iterators over existing values', async () => {
    const { feeds } = await build();
    expect(await (await feeds.readable()).toArray()).toEqual(['row']);
    expect(await (await feeds.file()).getStream().toArray()).toEqual(['row']);
    expect([...(await feeds.values())]).toEqual(['row']);
    await expectFree();
  });
});
