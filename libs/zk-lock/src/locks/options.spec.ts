import { describe, expect, it } from 'vitest';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { checkAcquireOptions } from './read-write/acquire-options.js';
import { resolveLockManagerOptions } from './lock-manager-options.js';

describe('options of a lock manager', () => {
  it('have defaults, and put the root below the chroot', () => {
    expect(resolveLockManagerOptions({ servers: 'zk/app', root: undefined })).toMatchObject({
      sessionTimeoutMs: 10_000,
      connectTimeoutMs: 10_000,
      tickTimeMs: 2_000,
      acquireTimeoutMs: 30_000,
      root: '/app/locks',
      digest: undefined,
    });
  });

  it('form the digest of the credentials', () => {
    const credentials = { username: 'app', password: 'a:b' };
    expect(resolveLockManagerOptions({ servers: 'zk', credentials }).digest).toBe('app:a:b');
  });

  it.each([
    ['options', undefined],
    ['server', { servers: 'zk', server: 'zk' }],
    ['servers', {}],
    ['sessionTimeoutMs', { servers: 'zk', sessionTimeoutMs: -1 }],
    ['sessionTimeoutMs', { servers: 'zk', sessionTimeoutMs: 1.5 }],
    ['connectTimeoutMs', { servers: 'zk', connectTimeoutMs: 0 }],
    ['tickTimeMs', { servers: 'zk', tickTimeMs: '2000' }],
    ['acquireTimeoutMs', { servers: 'zk', acquireTimeoutMs: -1 }],
    ['acquireTimeoutMs', { servers: 'zk', acquireTimeoutMs: Number.NaN }],
    ['root', { servers: 'zk', root: 'locks' }],
    ['root', { servers: 'zk', root: '/' }],
    ['root', { servers: 'zk', root: '/locks/' }],
    ['root', { servers: 'zk', root: '/zookeeper/locks' }],
    ['root', { servers: 'zk', root: 7 }],
    ['credentials', { servers: 'zk', credentials: null }],
    ['credentials', { servers: 'zk', credentials: '' }],
    ['credentials', { servers: 'zk', credentials: { username: 'a:b', password: 'p' } }],
    ['credentials', { servers: 'zk', credentials: { username: 'a', password: '' } }],
  ])('name %s when it is wrong: %j', (option, options) => {
    const resolve = (): unknown => resolveLockManagerOptions(options as never);
    expect(resolve).toThrow(ZkLockConfigError);
    expect(resolve).toThrow(`\`${option}\``);
  });

  it('tell a text from a number', () => {
    const resolve = (): unknown =>
      resolveLockManagerOptions({ servers: 'zk', sessionTimeoutMs: '10000' } as never);
    expect(resolve).toThrow("'10000' is no time span");
  });

  it('never repeat a password', () => {
    const credentials = { username: '', password: 'hunter2' };
    expect(() => resolveLockManagerOptions({ servers: 'zk', credentials })).not.toThrow('hunter2');
  });
});

describe('options of one acquire', () => {
  it.each([
    ['timeout', { timeout: 5 }],
    ['mode', { mode: 'exclusive' }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['timeoutMs', { timeoutMs: '5' }],
    ['signal', { signal: {} }],
  ])('name %s when it is wrong: %j', (option, options) => {
    const check = (): void => checkAcquireOptions(options as never);
    expect(check).toThrow(ZkLockConfigError);
    expect(check).toThrow(`\`${option}\``);
  });

  it('may wait without limit', () => {
    expect(() => checkAcquireOptions({ timeoutMs: Infinity })).not.toThrow();
  });
});
