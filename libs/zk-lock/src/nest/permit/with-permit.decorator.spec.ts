import { Get, SetMetadata, UseInterceptors, applyDecorators } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { LockedDecoratorError, LockedSetupError } from '../guarded/guarded-errors.js';
import { LockedInterceptor } from '../guarded/locked.interceptor.js';
import { OnlyLeader } from '../leader/only-leader.decorator.js';
import { Locked } from '../locked/locked.decorator.js';
import { WithPermit } from './with-permit.decorator.js';
import type { WithPermitOptions } from './with-permit.options.js';

const INTERCEPTORS = '__interceptors__';
const metadata = (name: string, method: object): unknown => Reflect.getMetadata(name, method);

const decorate = (key: unknown, options: unknown) => () => {
  class Farm {
    @WithPermit(key as string, options as WithPermitOptions)
    async render(): Promise<void> {}
  }
  return Farm;
};

describe('@WithPermit()', () => {
  it('keeps the name, the length and what other decorators left on the method', () => {
    class Farm {
      @WithPermit('a', { permits: 1 })
      @SetMetadata('below', 1)
      @Get('first')
      async first(_id: string): Promise<void> {}

      @SetMetadata('above', 2)
      @Get('second')
      @WithPermit('a', { permits: 1 })
      async second(): Promise<void> {}
    }
    const { first, second } = Farm.prototype;
    expect([first.name, first.length]).toEqual(['first', 1]);
    expect([metadata('below', first), metadata('path', first)]).toEqual([1, 'first']);
    expect([metadata('above', second), metadata('path', second)]).toEqual([2, 'second']);
    expect(Object.keys(new Farm())).toEqual([]);
  });

  it('shares one interceptor with the other decorators on the same method, in any order', () => {
    class Other {}
    class Farm {
      @WithPermit('a', { permits: 1 })
      @Locked('b')
      @OnlyLeader('c')
      @UseInterceptors(Other as never)
      async one(): Promise<void> {}

      @OnlyLeader('c')
      @Locked('b')
      @WithPermit('a', { permits: 1 })
      async two(): Promise<void> {}
    }
    const { one, two } = Farm.prototype;
    expect(metadata(INTERCEPTORS, one)).toEqual([Other, LockedInterceptor]);
    expect(metadata(INTERCEPTORS, two)).toEqual([LockedInterceptor]);
  });

  it('can be composed with other decorators', async () => {
    const Limited = (path: string) => applyDecorators(Get(path), WithPermit('gpu', { permits: 1 }));
    class Farm {
      @Limited('render')
      async render(): Promise<void> {}
    }
    expect(metadata('path', Farm.prototype.render)).toBe('render');
    await expect(new Farm().render()).rejects.toThrow(LockedSetupError);
  });

  it('does not run the method of an object that Nest did not build', async () => {
    let runs = 0;
    class Farm {
      @WithPermit('a', { permits: 1 })
      async render(): Promise<void> {
        runs += 1;
      }
    }
    await expect(new Farm().render()).rejects.toThrow(
      /Farm\.render cannot run: it is @WithPermit\(\), and Nest did not build .* call LockService\.semaphore\(\)/,
    );
    expect(runs).toBe(0);
  });

  it.each<[problem: string, key: unknown, options: unknown]>([
    ['The key must be a text or a function, not an empty text', '', { permits: 1 }],
    ['The key must be a text or a function, not undefined', undefined, { permits: 1 }],
    ['The key must be a text or a function, not an array', ['a'], { permits: 1 }],
    ["The key template 'gpu:{id}' has the hole '{id}'", 'gpu:{id}', { permits: 1 }],
    ['its options are not an object', 'a', null],
    ['its options are not an object', 'a', 4],
    [
      'it has no option `mode`. Use permits, take, timeoutMs, onBusy, release, connection.',
      'a',
      { mode: 'read' },
    ],
    ['it has no option `reentrant`.', 'a', { permits: 1, reentrant: true }],
    ['it has no option `toString`.', 'a', { permits: 1, toString: 1 }],
    ['its option `timeoutMs` is not a time', 'a', { permits: 1, timeoutMs: -1 }],
    [
      'its option `connection` is not the name of a connection',
      'a',
      { permits: 1, connection: '' },
    ],
    ['Invalid option `permits`: 0 is no number of permits', 'a', { permits: 0 }],
    ['Invalid option `permits`: 1.5 is no number of permits', 'a', { permits: 1.5 }],
    ['Invalid option `sharedCount`: it is no string', 'a', { permits: { seed: 1 } }],
    ['Invalid option `seed`', 'a', { permits: { sharedCount: '/c' } }],
    ['Invalid option `take`: 0 is no number of permits', 'a', { permits: 2, take: 0 }],
    ['Invalid option `take`: 0 is no number of permits', 'a', { take: 0 }],
    ['Invalid option `take`: 3 is no number of permits', 'a', { permits: 2, take: 3 }],
    ["Invalid option `take`: 'all' is no number of permits", 'a', { permits: 2, take: 'all' }],
  ])('names the method and the mistake while the class is defined: %s', (problem, key, options) => {
    const define = decorate(key, options);
    expect(define).toThrow(LockedDecoratorError);
    expect(define).toThrow(`@WithPermit() on Farm.render: ${problem}`);
  });

  it('accepts what can work', () => {
    expect(decorate('a', undefined)).not.toThrow();
    expect(decorate('a', { take: 3 })).not.toThrow();
    expect(decorate('a', { permits: 2, take: 2, timeoutMs: 0, connection: 'b' })).not.toThrow();
    const shared = { sharedCount: '/c', seed: 0 };
    expect(decorate(() => 'a', { permits: shared, take: 5, timeoutMs: undefined })).not.toThrow();
  });

  it('is refused on what is no method of an instance', () => {
    expect(() => {
      class Farm {
        @WithPermit('a', { permits: 1 })
        static async render(): Promise<void> {}
      }
      return Farm;
    }).toThrow('@WithPermit() on Farm.render: it stands on a static method');
    expect(() => {
      class Farm {
        @WithPermit('a', { permits: 1 })
        render = async (): Promise<void> => {};
      }
      return Farm;
    }).toThrow('write it as a method, `async render() {…}`');
  });
});
