import { describe, expect, it } from 'vitest';
import { ZkLockConfigError } from 'zk-locks';
import { resolveModuleOptions } from './zk-lock.options.js';

const servers = 'zk:2181';

describe('the module’s options', () => {
  it('have defaults, and leave the rest to the locks', () => {
    expect(resolveModuleOptions({ servers, root: '/app', lazy: undefined })).toEqual({
      manager: { servers, root: '/app' },
      lazy: false,
      shutdownGraceMs: 5_000,
      mapErrors: true,
    });
  });

  it.each<[option: string, options: unknown]>([
    ['options', undefined],
    ['options', null],
    ['options', 'zk:2181'],
    ['servers', {}],
    ['lazy', { servers, lazy: 1 }],
    ['mapErrors', { servers, mapErrors: 'no' }],
    ['shutdownGraceMs', { servers, shutdownGraceMs: Infinity }],
    ['shutdownGraceMs', { servers, shutdownGraceMs: -1 }],
    ['lasy', { servers, lasy: true }],
    ['isGlobal', { servers, isGlobal: true }],
    ['name', { servers, name: 'billing' }],
  ])('are refused by name: %s in %j', (option, options) => {
    expect(() => resolveModuleOptions(options)).toThrow(ZkLockConfigError);
    expect(() => resolveModuleOptions(options)).toThrow(`\`${option}\``);
  });

  it('are listed where one is unknown', () => {
    expect(() => resolveModuleOptions({ servers, lasy: true })).toThrow(/servers,.*, lazy, /);
  });
});
