import { type Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ZkLockConfigError } from 'zk-locks';
import { LockedDecoratorError } from './decorator-errors.js';
import { Locked } from './locked.decorator.js';

interface Order {
  id: string;
}

describe('@Locked', () => {
  it.each<[problem: string, key: unknown, options?: unknown]>([
    ['The key must be a string or a function, not an empty string', ''],
    ['The key must be a string or a function, not undefined', undefined],
    ["The key template 'order:{order.id}' has the placeholder '{order.id}'", 'order:{order.id}'],
    ["The key template 'order:{0' has a stray '{'", 'order:{0'],
    [
      '`timeout` is not an option. Use mode, onBusy, atMostEveryMs, reentrant, release, connection, timeoutMs, minHoldMs, maxHoldMs.',
      'a',
      { timeout: 5 },
    ],
    [
      '`marginMs` is not an option of calls. Set `marginMs` for the connection, in forRoot() or new Locks().',
      'a',
      { marginMs: 5 },
    ],
    ['`timeoutMs` must be a number of milliseconds, 0 or more', 'a', { timeoutMs: -1 }],
    ["`mode` must be 'read' or 'write'; got 'shared'", 'a', { mode: 'shared' }],
    ["`reentrant` must be true or false; got 'no'", 'a', { reentrant: 'no' }],
    ['`minHoldMs` must be a number of milliseconds from 0 to 2147483647', 'a', { minHoldMs: -1 }],
    ['`maxHoldMs` must be a number of milliseconds above 0', 'a', { maxHoldMs: 0 }],
    ["`release` must be 'wait' or 'background'; got true", 'a', { release: true }],
  ])('names the method and the mistake while the class is defined: %s', (problem, key, options) => {
    const define = () => {
      class Orders {
        @Locked(key as string, options as object)
        async ship(): Promise<void> {}
      }
      return Orders;
    };
    expect(define).toThrow(LockedDecoratorError);
    expect(define).toThrow(`@Locked() on Orders.ship: ${problem}`);
  });

  it.each<[problem: string, ...given: unknown[]]>([
    ['`timeoutMs` must be a number of milliseconds, 0 or more', -1],
    ['`timeoutMs` must be a number of milliseconds, 0 or more', '500', 'read'],
    ["`mode` must be 'read' or 'write'; got 'shared'", 500, 'shared'],
    ["`mode` must be 'read' or 'write'; got null", undefined, null],
    ["`mode` must be 'read' or 'write'; got { mode: 'read' }", 500, { mode: 'read' }],
    ["`options` must be an object, or the timeout in milliseconds; got 'read'. Write ", 'read'],
    [
      "`mode` must be inside the object with the other options. Write it there: { mode: 'read' }.",
      { timeoutMs: 5 },
      'read',
    ],
    ['`mode` must be inside the object with the other options.', [], 'read'],
    ['`arguments` must be at most a key, a timeout and a mode; got 4. Write ', 5, 'read', {}],
    ['`arguments` must be at most a key, a timeout and a mode; got 4. Write ', {}, undefined, 'b'],
  ])('names the mistake in a timeout and a mode behind the key: %s', (problem, ...given) => {
    const locked = Locked as (...all: unknown[]) => MethodDecorator;
    let refusal: unknown;
    try {
      class Orders {
        @locked('a', ...given)
        async ship(): Promise<void> {}
      }
      expect(Orders).toBeUndefined();
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(LockedDecoratorError);
    expect((refusal as Error).message).toContain(`@Locked() on Orders.ship: ${problem}`);
    expect((refusal as Error).cause).toBeInstanceOf(ZkLockConfigError);
  });

  it('is refused if its key function is async, also by the compiler', () => {
    expect(() => {
      class Orders {
        // @ts-expect-error a key must be known immediately
        @Locked(async (id: string) => Promise.resolve(id))
        async ship(_id: string): Promise<void> {}
      }
      return Orders;
    }).toThrow('@Locked() on Orders.ship: The key function is async');
  });

  it('accepts only methods that are asynchronous and take the same arguments, by their types', () => {
    class Orders {
      @Locked('a')
      async promise(): Promise<void> {}

      @Locked('a')
      stream(): Observable<number> {
        return of(1);
      }

      // @ts-expect-error a synchronous method cannot wait for a lock
      @Locked('a')
      sync(): number {
        return 1;
      }

      @Locked((order: Order) => order.id, { timeoutMs: (_order: Order, ms: number) => ms })
      async sameArguments(_order: Order, _ms: number): Promise<void> {}

      @Locked((order: Order) => order.id)
      async moreArguments(_order: Order, _by: string): Promise<void> {}

      @Locked((order: { id: string }) => order.id)
      async widerKey(_order: Order): Promise<void> {}

      // @ts-expect-error the key function takes a number where the method takes an order
      @Locked((id: number) => `${id}`)
      async otherArguments(_order: Order): Promise<void> {}

      // @ts-expect-error the key function takes an argument the method does not have
      @Locked((_order: Order, by: string) => by)
      async fewerArguments(_order: Order): Promise<void> {}

      // @ts-expect-error so does the timeout's
      @Locked('a', { timeoutMs: (ms: number) => ms })
      async otherTimeout(_ms: string): Promise<void> {}

      @Locked(['a', 'order:{0.id}', (order: Order) => order.id])
      async severalKeys(_order: Order): Promise<void> {}

      @Locked((...orders: Order[]) => orders.map(({ id }) => id))
      async keysOfAll(..._orders: Order[]): Promise<void> {}

      // @ts-expect-error one of the key functions takes a number where the method takes an order
      @Locked(['a', (id: number) => `${id}`])
      async otherArgumentsOfOne(_order: Order): Promise<void> {}
    }
    // @ts-expect-error there is no such option
    void Locked('a', { timeout: 5 });
    return Orders;
  });

  it('accepts only fallbacks for a busy call that callers of the method expect', () => {
    class Orders {
      @Locked('a', { onBusy: 'skip' })
      async nothing(): Promise<void> {}

      @Locked('a', { onBusy: 'skip' })
      async maybe(): Promise<number | undefined> {
        return Promise.resolve(1);
      }

      @Locked('a', { onBusy: 'skip' })
      stream(): Observable<number> {
        return of(1);
      }

      // @ts-expect-error callers expect a number
      @Locked('a', { onBusy: 'skip' })
      async number(): Promise<number> {
        return Promise.resolve(1);
      }

      @Locked('a', { onBusy: (order: Order) => order.id, timeoutMs: 5 })
      async fallback(_order: Order, _by: string): Promise<string> {
        return Promise.resolve('');
      }

      @Locked('a', { onBusy: async () => Promise.resolve('') })
      async laterFallback(): Promise<string> {
        return Promise.resolve('');
      }

      @Locked('a', { onBusy: () => of(1, 2) })
      streamInstead(): Observable<number> {
        return of(1);
      }

      @Locked('a', {
        onBusy: () => {
          throw new Error('busy');
        },
      })
      async refusal(): Promise<string> {
        return Promise.resolve('');
      }

      // @ts-expect-error callers expect a text
      @Locked('a', { onBusy: () => 5 })
      async otherFallback(): Promise<string> {
        return Promise.resolve('');
      }

      // @ts-expect-error the function takes a number where the method takes an order
      @Locked('a', { onBusy: (_id: number) => undefined })
      async otherArguments(_order: Order): Promise<void> {}

      @Locked('a', {
        minHoldMs: (ms: number) => ms,
        maxHoldMs: (_ms: number, by: string) => by.length,
      })
      async holdTimes(_ms: number, _by: string): Promise<void> {}

      // @ts-expect-error the function takes a number where the method takes a text
      @Locked('a', { minHoldMs: (ms: number) => ms })
      async otherMinimum(_ms: string): Promise<void> {}

      // @ts-expect-error so does the other
      @Locked('a', { maxHoldMs: (ms: number) => ms })
      async otherMaximum(_ms: string): Promise<void> {}
    }
    return Orders;
  });
});
