import { Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { LockedDecoratorError } from './decorator-errors.js';
import { OnlyLeader } from './only-leader.decorator.js';

describe('@OnlyLeader', () => {
  it.each<[problem: string, key: unknown, options?: unknown]>([
    ['its key is not a string', undefined],
    ['its key is not a string', () => 'a'],
    ['A lock key must be a non-empty string', ''],
    ['is longer than 512 bytes', 'a'.repeat(600)],
    ['its key contains braces', 'report:{0}'],
    ['`timeoutMs` is not an option. Use onFollower, connection.', 'a', { timeoutMs: 5 }],
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

  it('accepts only methods and options whose types fit', () => {
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
    // @ts-expect-error there is no such option
    void OnlyLeader('a', { timeoutMs: 5 });
    // @ts-expect-error the key of an election depends on no arguments
    void OnlyLeader((id: string) => id);
    expect(() => {
      class Streams {
        // @ts-expect-error a stream may outlive the leadership
        @OnlyLeader('a')
        stream(): Observable<number> {
          return of(1);
        }
      }
      return Streams;
    }).toThrow('a method that returns an Observable');
    return Reports;
  });
});
