import { Get, SetMetadata, UseInterceptors, applyDecorators } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { type Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Locked } from './locked.decorator.js';
import { LockedDecoratorError, LockedSetupError } from '../guarded/guarded-errors.js';
import { LockedInterceptor } from '../guarded/locked.interceptor.js';

interface Order {
  id: string;
}

const INTERCEPTORS = '__interceptors__';
const metadata = (name: string, method: object): unknown => Reflect.getMetadata(name, method);

describe('@Locked()', () => {
  it('keeps the name, the length and the identity of its class', () => {
    class Orders {
      @Locked('order:{0}')
      async ship(_id: string, _by: string): Promise<void> {}
    }
    expect(Orders.prototype.ship.name).toBe('ship');
    expect(Orders.prototype.ship.length).toBe(2);
    expect(Object.keys(new Orders())).toEqual([]);
  });

  it('keeps what decorators below it and above it left on the method', () => {
    class Orders {
      @Locked('a')
      @SetMetadata('below', 1)
      @ApiOperation({ summary: 'one' })
      @Get('first')
      async first(): Promise<void> {}

      @SetMetadata('above', 2)
      @ApiOperation({ summary: 'two' })
      @Get('second')
      @Locked('a')
      async second(): Promise<void> {}
    }
    const { first, second } = Orders.prototype;
    expect([metadata('below', first), metadata('path', first)]).toEqual([1, 'first']);
    expect([metadata('above', second), metadata('path', second)]).toEqual([2, 'second']);
    expect(metadata('swagger/apiOperation', first)).toMatchObject({ summary: 'one' });
    expect(metadata('swagger/apiOperation', second)).toMatchObject({ summary: 'two' });
  });

  it('can be composed with other decorators', async () => {
    const Exclusive = (path: string) => applyDecorators(Get(path), Locked('report'));
    class Reports {
      @Exclusive('report')
      async run(): Promise<void> {}
    }
    expect(metadata('path', Reports.prototype.run)).toBe('report');
    await expect(new Reports().run()).rejects.toThrow(LockedSetupError);
  });

  it('puts its interceptor on the method once, and beside those of others', () => {
    class Above {}
    class Below {}
    class Orders {
      @UseInterceptors(Above as never)
      @Locked('a')
      @Locked('b')
      @UseInterceptors(Below as never)
      async ship(): Promise<void> {}
    }
    expect(metadata(INTERCEPTORS, Orders.prototype.ship)).toEqual([
      Below,
      LockedInterceptor,
      Above,
    ]);
  });

  it('does not run the method of an object that Nest did not build', async () => {
    let runs = 0;
    class Orders {
      @Locked('a')
      async ship(): Promise<void> {
        runs += 1;
      }
    }
    const shipped = new Orders().ship();
    await expect(shipped).rejects.toThrow(LockedSetupError);
    await expect(shipped).rejects.toThrow(/Orders\.ship cannot run: .* Nest did not build/);
    expect(runs).toBe(0);
  });

  it.each<[problem: string | RegExp, define: () => unknown]>([
    [
      'Orders.ship: it stands on a static method',
      () => {
        class Orders {
          @Locked('a')
          static async ship(): Promise<void> {}
        }
        return Orders;
      },
    ],
    [
      'Orders.ship: it stands on a property. An arrow function there cannot be wrapped, as each object makes its own; write it as a method, `async ship() {…}`.',
      () => {
        class Orders {
          @Locked('a')
          ship = async (): Promise<void> => {};
        }
        return Orders;
      },
    ],
    [
      'Orders.ship: it stands on something that is not a method',
      () => {
        class Orders {
          // @ts-expect-error a getter is no asynchronous method
          @Locked('a')
          get ship(): Date {
            return new Date();
          }
        }
        return Orders;
      },
    ],
    [
      'Orders: it stands on something that is not a method',
      () => {
        // @ts-expect-error a class is no method
        @Locked('a')
        class Orders {}
        return Orders;
      },
    ],
  ])('is refused: %s', (problem, define) => {
    expect(define).toThrow(LockedDecoratorError);
    expect(define).toThrow(problem);
  });

  it.each<[problem: string, key: unknown, options?: unknown]>([
    ['The key must be a text or a function, not an empty text', ''],
    ['The key must be a text or a function, not undefined', undefined],
    ["The key template 'order:{order.id}' has the hole '{order.id}'", 'order:{order.id}'],
    ["The key template 'order:{0' has a stray '{'", 'order:{0'],
    ['its options are not an object', 'a', 5],
    [
      'it has no option `timeout`. Use mode, timeoutMs, onBusy, minHoldMs, maxHoldMs, reentrant, release, connection.',
      'a',
      { timeout: 5 },
    ],
    ['its option `timeoutMs` is not a time', 'a', { timeoutMs: -1 }],
    ['its option `timeoutMs` is not a time', 'a', { timeoutMs: NaN }],
    ['its option `timeoutMs` is not a time', 'a', { timeoutMs: '5' }],
    ["its option `mode` is neither 'read' nor 'write'", 'a', { mode: 'shared' }],
    ['its option `reentrant` is neither true nor false', 'a', { reentrant: 'no' }],
    [
      "its option `onBusy` is neither 'throw' nor 'skip', nor a function",
      'a',
      { onBusy: 'ignore' },
    ],
    ["its option `onBusy` is neither 'throw' nor 'skip', nor a function", 'a', { onBusy: null }],
    ["its option `onBusy` is neither 'throw' nor 'skip', nor a function", 'a', { onBusy: {} }],
    ['its option `minHoldMs` is not a time', 'a', { minHoldMs: -1 }],
    ['its option `minHoldMs` is not a time', 'a', { minHoldMs: Infinity }],
    ['its option `minHoldMs` is not a time', 'a', { minHoldMs: '5' }],
    ['its option `maxHoldMs` is not a time', 'a', { maxHoldMs: 0 }],
    ['its option `maxHoldMs` is not a time', 'a', { maxHoldMs: NaN }],
    ['its option `maxHoldMs` is not a time', 'a', { maxHoldMs: 2 ** 31 }],
    ["its option `release` is neither 'wait' nor 'background'", 'a', { release: true }],
    ['its option `connection` is not the name of a connection', 'a', { connection: '' }],
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

  it('is refused where its key function is async, by the compiler as well', () => {
    expect(() => {
      class Orders {
        // @ts-expect-error a key must be known at once
        @Locked(async (id: string) => Promise.resolve(id))
        async ship(_id: string): Promise<void> {}
      }
      return Orders;
    }).toThrow('@Locked() on Orders.ship: The key function is async');
  });

  it('accepts only what the compiler can see to be asynchronous and of the same arguments', () => {
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
    expect(Orders).toBeDefined();
    // @ts-expect-error there is no such option
    expect(Locked('a', { timeout: 5 })).toBeInstanceOf(Function);
  });

  it('accepts as answers of a busy call only what callers of the method expect', () => {
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
    expect(Orders).toBeDefined();
  });
});
