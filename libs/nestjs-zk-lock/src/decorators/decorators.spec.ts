import { Get, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { describe, expect, it } from 'vitest';
import { LockedDecoratorError, LockedSetupError } from './decorator-errors.js';
import { Locked } from './locked.decorator.js';
import { LockedInterceptor } from './locked.interceptor.js';
import { OnlyLeader } from './only-leader.decorator.js';
import { WithPermit } from './with-permit.decorator.js';

/** What the compiler refuses is given as well. */
type Decorate = (key: unknown, options?: unknown) => (...place: unknown[]) => void;

const DECORATORS: readonly [name: string, decorate: Decorate, answer: string, instead: string][] = [
  ['@Locked', Locked as Decorate, 'onBusy', 'withLock'],
  ['@WithPermit', WithPermit as Decorate, 'onBusy', 'semaphore'],
  ['@OnlyLeader', OnlyLeader as Decorate, 'onFollower', 'election'],
];

const INTERCEPTORS = '__interceptors__';
const metadata = (name: string, method: object): unknown => Reflect.getMetadata(name, method);

describe.each(DECORATORS)('%s', (name, decorate, answer, instead) => {
  it('keeps the name, the length, and the metadata of decorators below and above it', () => {
    class Reports {
      @decorate('a')
      @SetMetadata('below', 1)
      @ApiOperation({ summary: 'one' })
      @Get('first')
      async first(_id: string, _by: string): Promise<void> {}

      @SetMetadata('above', 2)
      @ApiOperation({ summary: 'two' })
      @Get('second')
      @decorate('a')
      async second(): Promise<void> {}
    }
    const { first, second } = Reports.prototype;
    expect([first.name, first.length]).toEqual(['first', 2]);
    expect([metadata('below', first), metadata('path', first)]).toEqual([1, 'first']);
    expect([metadata('above', second), metadata('path', second)]).toEqual([2, 'second']);
    expect(metadata('swagger/apiOperation', first)).toMatchObject({ summary: 'one' });
    expect(metadata('swagger/apiOperation', second)).toMatchObject({ summary: 'two' });
    expect(Object.keys(new Reports())).toEqual([]);
  });

  it('puts one interceptor on the method, beside those of others', () => {
    class Above {}
    class Below {}
    class Reports {
      @UseInterceptors(Above as never)
      @decorate('a')
      @decorate('b')
      @UseInterceptors(Below as never)
      async run(): Promise<void> {}
    }
    expect(metadata(INTERCEPTORS, Reports.prototype.run)).toEqual([
      Below,
      LockedInterceptor,
      Above,
    ]);
  });

  it.each(['throw', 'skip'])(
    `neither runs nor skips the method of an object that Nest did not build: ${answer} %s`,
    async (given) => {
      let runs = 0;
      class Reports {
        @decorate('a', { [answer]: given })
        async run(): Promise<void> {
          runs += 1;
        }
      }
      const refused = new Reports().run();
      await expect(refused).rejects.toThrow(LockedSetupError);
      await expect(refused).rejects.toThrow(
        `Reports.run cannot run: it is ${name}(), but Nest did not create its object`,
      );
      await expect(refused).rejects.toThrow(`call LockService.${instead}() instead`);
      await expect(refused).rejects.toThrow('bind it to its object');
      await expect(refused).rejects.toThrow('in createLockTestingModule() of nestjs-zk-lock');
      expect(runs).toBe(0);
    },
  );

  it.each<[place: string, problem: string, define: () => unknown]>([
    [
      'a static method',
      'Reports.run: it is on a static method',
      () => {
        class Reports {
          @decorate('a')
          static async run(): Promise<void> {}
        }
        return Reports;
      },
    ],
    [
      'an arrow function',
      'Reports.run: it is on a property. An arrow function in a property cannot be wrapped, because each object creates its own. Write a method instead: `async run() {…}`.',
      () => {
        class Reports {
          @decorate('a')
          run = async (): Promise<void> => {};
        }
        return Reports;
      },
    ],
    [
      'a getter',
      'Reports.run: it is not on a method',
      () => {
        class Reports {
          @decorate('a')
          get run(): Date {
            return new Date();
          }
        }
        return Reports;
      },
    ],
    [
      'a method, without parentheses',
      `Reports.run: it has no parentheses. Write \`${name}('key')\`.`,
      () => {
        class Reports {
          @(decorate as MethodDecorator)
          async run(): Promise<void> {}
        }
        return Reports;
      },
    ],
    [
      'a class',
      'Reports: it is not on a method',
      () => {
        @decorate('a')
        class Reports {}
        return Reports;
      },
    ],
  ])('is refused on %s', (_place, problem, define) => {
    expect(define).toThrow(LockedDecoratorError);
    expect(define).toThrow(`${name}() on ${problem}`);
  });

  it.each<[problem: string, options: unknown]>([
    ['`options` must be an object', true],
    ['`options` must be an object; got []. ', []],
    ['`toString` is not an option.', { toString: 1 }],
    ['`connection` must be the name of a connection', { connection: '' }],
    [
      `\`${answer}\` must be 'throw', 'skip' or a function of the method's arguments`,
      { [answer]: 'ignore' },
    ],
  ])('names the method and the mistake while the class is defined: %s', (problem, options) => {
    const define = () => {
      class Reports {
        @decorate('a', options)
        async run(): Promise<void> {}
      }
      return Reports;
    };
    expect(define).toThrow(LockedDecoratorError);
    expect(define).toThrow(`${name}() on Reports.run: ${problem}`);
  });
});

it.each([
  ['@Locked', 'onBusy', Locked('job', { onBusy: 'skip' })],
  ['@Locked', 'atMostEveryMs', Locked('job', { atMostEveryMs: 60_000 })],
  ['@Locked', 'minHoldMs', Locked('job', { minHoldMs: 30_000 })],
  ['@WithPermit', 'onBusy', WithPermit('job', { permits: 1, onBusy: 'skip' })],
])(
  '%s with %s is refused above @OnlyLeader, whose followers would keep the leader from its work',
  (name, _option, decorate) => {
    const define = () => {
      class Reports {
        @(decorate as MethodDecorator)
        @OnlyLeader('reports', { onFollower: 'skip' })
        async run(): Promise<void> {}
      }
      return Reports;
    };
    expect(define).toThrow(LockedDecoratorError);
    expect(define).toThrow(`${name}() on Reports.run: it is above @OnlyLeader()`);
  },
);
