import { afterEach, describe, expect, it, vi } from 'vitest';
import { ZkLockConfigError } from '../../../zk-client/src/zk-lock-error.js';
import { dialectOf } from '../nodes/dialect.js';
import {
  readAcquireOptions,
  readAcquireUpgradableOptions,
  readPermitOptions,
  readRunOptions,
  readTargets,
} from './call-options.js';
import type { AclName } from '../../../zk-client/src/options/client-options.js';
import { resolveLocksOptions } from './locks-options.js';

describe('options of a lock manager', () => {
  it('have defaults, and put the root below the chroot', () => {
    expect(resolveLocksOptions({ servers: 'zk/app', root: undefined })).toMatchObject({
      sessionTimeoutMs: 10_000,
      connectTimeoutMs: 10_000,
      tickTimeMs: 2_000,
      lateCreateTimeoutMs: 300_000,
      acquireTimeoutMs: 30_000,
      release: 'wait',
      cohort: undefined,
      root: '/app/locks',
      user: undefined,
      restrictsNodes: false,
    });
  });

  it('turn the credentials into a user, to whom nodes are restricted by default', () => {
    const credentials = { username: 'app', password: 'a:b' };
    const resolve = (acl?: 'open' | 'creator') =>
      resolveLocksOptions({ servers: 'zk', credentials, acl });
    expect(resolve().user?.revealDigest()).toBe('app:a:b');
    expect(resolve().restrictsNodes).toBe(true);
    expect(resolve('creator').restrictsNodes).toBe(true);
    expect(resolve('open').restrictsNodes).toBe(false);
  });

  it.each(['creator', undefined] as const)(
    'refuse nodes for one user (acl: %s) with the client native, which would leave them open',
    (acl) => {
      const credentials = { username: 'app', password: 'secret' };
      const resolve = (own: AclName | undefined): unknown =>
        resolveLocksOptions({ servers: 'zk', client: 'native', credentials, acl: own });
      expect(() => resolve(acl)).toThrow(ZkLockConfigError);
      expect(() => resolve(acl)).toThrow(
        /`acl` must be 'open' with the npm package `zookeeper`.*Use `client: 'wire'`, or omit it; or .*`acl: 'open'`/,
      );
      expect(resolve('open')).toMatchObject({ restrictsNodes: false, user: { username: 'app' } });
    },
  );

  it.each([
    ['options', undefined],
    ['server', { servers: 'zk', server: 'zk' }],
    ['servers', {}],
    ['tickTimeMs', { servers: 'zk', sessionTimeoutMs: 10, tickTimeMs: 2 }],
    ['tls', { servers: 'zk', tls: { ca: 'no certificate', key: 'no key', cert: 'none' } }],
    ['tls', { servers: 'zk', tls: true, client: 'native' }],
    [
      'credentials.scheme',
      { servers: 'zk', credentials: { username: 'a', password: 'b', scheme: 'kerberos' } },
    ],
    [
      'credentials.scheme',
      {
        servers: 'zk',
        client: 'native',
        credentials: { username: 'a', password: 'b', scheme: 'sasl' },
      },
    ],
    ['cohort.maxTenure', { servers: 'zk', cohort: { maxTenure: 5 } }],
    ['cohort.maxTenureMs', { servers: 'zk', cohort: { maxTenureMs: Infinity } }],
    [
      'credentials.mechanism',
      { servers: 'zk', credentials: { username: 'a', password: 'b', mechanism: 'sasl' } },
    ],
    ['credentials.username', { servers: 'zk', credentials: { username: 'a:b', password: 'p' } }],
    ['credentials.password', { servers: 'zk', credentials: { username: 'a', password: '' } }],
  ])('name %s when it is wrong: %j', (option, options) => {
    const resolve = (): unknown => resolveLocksOptions(options as never);
    expect(resolve).toThrow(ZkLockConfigError);
    expect(resolve).toThrow(`\`${option}\``);
  });

  it.each(['ssl', 'useSsl', 'secure'])('say of %s which option TLS is', (option) => {
    const resolve = (): unknown => resolveLocksOptions({ servers: 'zk', [option]: true });
    expect(resolve).toThrow(ZkLockConfigError);
    expect(resolve).toThrow(new RegExp(`\`${option}\` asks for TLS.*tls: true`));
  });

  it('never repeat a password', () => {
    for (const credentials of [
      { username: '', password: 'hunter2' },
      { username: 'hunter2:', password: 'p' },
      'app:hunter2',
    ]) {
      const resolve = () => resolveLocksOptions({ servers: 'zk', credentials } as never);
      expect(resolve).toThrow('`credentials');
      expect(resolve).not.toThrow('hunter2');
    }
  });

  it('refuse a logger, and say that it is the second argument', () => {
    expect(() => resolveLocksOptions({ servers: 'zk', logger: console } as never)).toThrow(
      '`logger` is not an option. Pass it as the second argument, as in new Locks(options, logger).',
    );
  });

  it('name `servers`, what is wrong with it, and an example', () => {
    expect(() => resolveLocksOptions({ servers: 'http://zk' })).toThrow(
      '`servers` must be ZooKeeper\'s connect string; it is a URL. Use "host:2181", "host1:2181,host2:2181" or',
    );
  });
});

describe('options of one acquire', () => {
  it('name one that does not exist', () => {
    const check = (): unknown => readAcquireOptions({ timeout: 5 } as never, dialectOf('kazoo'));
    expect(check).toThrow(ZkLockConfigError);
    expect(check).toThrow('`timeout`');
  });

  it('name an option of the connection, and where to set it', () => {
    const check = (): unknown => readAcquireOptions({ marginMs: 5 } as never, dialectOf('kazoo'));
    expect(check).toThrow(
      '`marginMs` is not an option of calls. Set `marginMs` for the connection, in forRoot() or new Locks().',
    );
  });
});

describe('the environment', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const descriptionWith = (variable: string, options = {}): string => {
    vi.stubEnv('ZK_LOCKS_CLIENT', variable);
    return resolveLocksOptions({ servers: 'zk', ...options }).connector.description;
  };

  it('chooses the client if no option does; without either, it is `wire`', () => {
    const wire = 'client "wire" (zk-client)';
    const native = 'client "native" (npm zookeeper)';
    expect(descriptionWith('wire')).toBe(wire);
    expect(descriptionWith('native')).toBe(native);
    expect(descriptionWith('wire', { client: 'native' })).toBe(native);
    expect(descriptionWith('native', { client: 'wire' })).toBe(wire);
    expect(descriptionWith('')).toBe(wire);
    expect(descriptionWith('', { tls: true })).toBe('client "wire" (zk-client, TLS)');
  });

  it.each([
    ['TLS', { tls: true }],
    ['SASL', { credentials: { username: 'a', password: 'b', scheme: 'sasl' } }],
    ['ACLs', { credentials: { username: 'a', password: 'b' } }],
  ])('is named as what to change if it says `native`, which cannot do %s', (_what, options) => {
    const resolve = (client?: string) => () => descriptionWith('native', { client, ...options });
    expect(resolve()).toThrow(/\. Unset the environment variable ZK_LOCKS_CLIENT/);
    expect(resolve('native')).toThrow(/\. Use `client: 'wire'`, or omit it/);
    expect(resolve('wire')).not.toThrow();
  });

  it('is named if its value is invalid', () => {
    expect(() => descriptionWith('java')).toThrow(/`client`.*ZK_LOCKS_CLIENT/);
  });
});

describe('what depends on another option', () => {
  const mutex = dialectOf('curator-mutex');
  const fixed = { kind: 'fixed', permits: 4 } as const;

  it.each<[problem: string, check: () => unknown]>([
    [
      "`mode` must be 'write' with the dialect 'curator-mutex', which has no read locks; got 'read'. Use 'write', or the dialect 'curator-rw' or 'kazoo'",
      () => readAcquireOptions({ mode: 'read' }, mutex),
    ],
    [
      "`dialect` must be 'curator-rw' for upgradable locks; got 'curator-mutex'.",
      () => readAcquireUpgradableOptions({}, mutex),
    ],
    [
      "`dialect` must be 'curator-rw' for upgradable locks; got 'kazoo'.",
      () => readAcquireUpgradableOptions({}, dialectOf('kazoo')),
    ],
    [
      '`mode` is not an option. Use timeoutMs, label, pattern, signal, release.',
      () => readRunOptions({ mode: 'read' } as object),
    ],
    ['`keys` must be an array of at least one key; got [].', () => readTargets([])],
    ['`keys` must be strings or { key, mode }; got undefined.', () => readTargets(['a', ,])],
    [
      '`keys[1].wait` is not an option. Use key, mode.',
      () => readTargets(['a', { key: 'b', wait: 1 }]),
    ],
    ['`take` must be an integer from 1 to 4; got 5.', () => readPermitOptions({ take: 5 }, fixed)],
  ])('is refused by name: %s', (problem, check) => {
    expect(check).toThrow(ZkLockConfigError);
    expect(check).toThrow(problem);
  });
});
