import { Get, SetMetadata, UseInterceptors, applyDecorators } from '@nestjs/common';
import { Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Locked } from '../locked/locked.decorator.js';
import { LockedDecoratorError, LockedSetupError } from '../guarded/guarded-errors.js';
import { LockedInterceptor } from '../guarded/locked.interceptor.js';
import { OnlyLeader } from './only-leader.decorator.js';

const INTERCEPTORS = '__interceptors__';
const metadata = (name: string, method: object): unknown => Reflect.getMetadata(name, method);

describe('@OnlyLeader()', () => {
  it('keeps the name, the length and what other decorators left on the method', () => {
    class Reports {
      @OnlyLeader('a')
      @SetMetadata('below', 1)
      @Get('first')
      async first(_id: string): Promise<void> {}

      @SetMetadata('above', 2)
      @Get('second')
      @OnlyLeader('a')
      async second(): Promise<void> {}
    }
    const { first, second } = Reports.prototype;
    expect([first.name, first.length]).toEqual(['first', 1]);
    expect([metadata('below', first), metadata('path', first)]).toEqual([1, 'first']);
    expect([metadata('above', second), metadata('path', second)]).toEqual([2, 'second']);
    expect(Object.keys(new Reports())).toEqual([]);
  });

  it('shares one interceptor with @Locked() on the same method, in either order', () => {
    class Other {}
    class Reports {
      @OnlyLeader('a')
      @Locked('b')
      @UseInterceptors(Other as never)
      async one(): Promise<void> {}

      @Locked('b')
      @OnlyLeader('a')
      @OnlyLeader('c')
      async two(): Promise<void> {}
    }
    const { one, two } = Reports.prototype;
    expect(metadata(INTERCEPTORS, one)).toEqual([Other, LockedInterceptor]);
    expect(metadata(INTERCEPTORS, two)).toEqual([LockedInterceptor]);
  });

  it('can be composed with other decorators', async () => {
    const Single = (path: string) => applyDecorators(Get(path), OnlyLeader('report'));
    class Reports {
      @Single('report')
      async run(): Promise<void> {}
    }
    expect(metadata('path', Reports.prototype.run)).toBe('report');
    await expect(new Reports().run()).rejects.toThrow(LockedSetupError);
  });

  it('does not run the method of an object that Nest did not build, nor skips it', async () => {
    let runs = 0;
    class Reports {
      @OnlyLeader('a', { onFollower: 'skip' })
      async run(): Promise<void> {
        runs += 1;
      }
    }
    await expect(new Reports().run()).rejects.toThrow(
      /Reports\.run cannot run: it is @OnlyLeader\(\), and Nest did not build .* call LockService\.election\(\)/,
    );
    expect(runs).toBe(0);
  });

  it.each<[problem: string, key: unknown, options?: unknown]>([
    ['its key is not a text', undefined],
    ['its key is not a text', () => 'a'],
    ['A lock key must be a non-empty string', ''],
    ['is longer than 512 bytes', 'a'.repeat(600)],
    ['its key has braces', 'report:{0}'],
    ['its options are not an object', 'a', 5],
    ['it has no option `timeoutMs`. Use onFollower, connection.', 'a', { timeoutMs: 5 }],
    [
      "its option `onFollower` is neither 'throw' nor 'skip', nor a function",
      'a',
      { onFollower: 'wait' },
    ],
    ['its option `connection` is not the name of a connection', 'a', { connection: '' }],
  ])('names the method and the mistake while the class is defined: %s', (problem, key, options) => {
    const define = () => {
      class Reports {
        @OnlyLeader(key as string, options as { onFollower: 'throw' })
        async run(): Promise<void> {}
      }
      return Reports;
    };
    expect(define).toThrow(LockedDecoratorError);
    expect(define).toThrow('@OnlyLeader() on Reports.run: ');
    expect(define).toThrow(problem);
  });

  it('is refused on what is no method of an instance, or returns no promise', () => {
    expect(() => {
      class Reports {
        @OnlyLeader('a')
        static async run(): Promise<void> {}
      }
      return Reports;
    }).toThrow('it stands on a static method');
    expect(() => {
      class Reports {
        @OnlyLeader('a')
        run = async (): Promise<void> => {};
      }
      return Reports;
    }).toThrow('write it as a method, `async run() {…}`');
  });

  it('accepts only what the compiler can see to fit', () => {
    class Reports {
      @OnlyLeader('a')
      async throws(_id: string): Promise<number> {
        return 1;
      }

      @OnlyLeader('a', { onFollower: 'throw' })
      async says(): Promise<number> {
        return 1;
      }

      @OnlyLeader('a', { onFollower: 'skip' })
      async skips(_id: string): Promise<void> {}

      @OnlyLeader('a', { onFollower: 'skip', connection: 'b' })
      async skipsMaybe(): Promise<string | undefined> {
        return undefined;
      }

      @OnlyLeader('a', { onFollower: (id: string) => id.length })
      async answers(id: string): Promise<number> {
        return id.length;
      }

      @OnlyLeader('a', { onFollower: async () => Promise.resolve('elsewhere') })
      async answersLater(): Promise<string> {
        return 'here';
      }

      // @ts-expect-error a follower that skips it has no number to give
      @OnlyLeader('a', { onFollower: 'skip' })
      async skipsNumber(): Promise<number> {
        return 1;
      }

      // @ts-expect-error callers of the method expect a number
      @OnlyLeader('a', { onFollower: () => 'elsewhere' })
      async answersText(): Promise<number> {
        return 1;
      }

      // @ts-expect-error the method has no such argument
      @OnlyLeader('a', { onFollower: (count: number) => count })
      async answersForOther(id: string): Promise<number> {
        return id.length;
      }

      // @ts-expect-error a synchronous method cannot be told of a loss
      @OnlyLeader('a')
      sync(): number {
        return 1;
      }
    }
    expect(Reports).toBeDefined();
    // @ts-expect-error there is no such option
    expect(() => OnlyLeader('a', { timeoutMs: 5 })).toBeInstanceOf(Function);
    // @ts-expect-error the key of an election depends on no arguments
    expect(() => OnlyLeader((id: string) => id)).toBeInstanceOf(Function);
    expect(() => {
      class Streams {
        // @ts-expect-error nobody can lead until a stream completes
        @OnlyLeader('a')
        stream(): Observable<number> {
          return of(1);
        }
      }
      return Streams;
    }).toThrow('a method that returns an Observable');
  });
});
