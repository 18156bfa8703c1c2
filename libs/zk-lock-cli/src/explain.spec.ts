import { describe, expect, it } from 'vitest';
import {
  LockAccessError,
  LockDirectoryError,
  LockKeyError,
  LockLostError,
  LockTimeoutError,
  ZkLockConfigError,
  ZooKeeperUnavailableError,
} from 'zk-locks';
import { CannotStartError } from './child/guarded-child.js';
import { exitCodeOf } from './holding/run-command.js';
import { explain, inFlags } from './explain.js';
import { problemView } from './keys/problem-view.js';
import { UsageError } from './usage-error.js';

describe('an error', () => {
  it.each([
    { error: new UsageError('no'), exitCode: 64 },
    { error: new ZkLockConfigError('servers', 'is wrong', 'Mend it.'), exitCode: 64 },
    { error: new LockKeyError('no key'), exitCode: 64 },
    { error: new ZooKeeperUnavailableError('away'), exitCode: 69 },
    { error: new LockTimeoutError('a', 'write', 0), exitCode: 75 },
    { error: new LockLostError('a', 'write', 'lease-expired'), exitCode: 76 },
    { error: new LockAccessError('/locks'), exitCode: 77 },
    { error: new LockDirectoryError('foreign'), exitCode: 125 },
    { error: new Error('a defect'), exitCode: 125 },
    { error: new CannotStartError('x', 'EAGAIN'), exitCode: 125 },
    { error: new CannotStartError('x', 'EACCES'), exitCode: 126 },
    { error: new CannotStartError('x', 'ENOENT'), exitCode: 127 },
  ])('ends zk-lock with $exitCode: $error.name', ({ error, exitCode }) => {
    expect(explain(error).exitCode).toBe(exitCode);
  });

  it('is explained in terms of the command line, without links to pages that are not there', () => {
    const { message } = explain(new ZkLockConfigError('servers', 'is wrong', 'Use `tls`.'));
    expect(message).toBe('--connect (ZK_CONNECT) is wrong. Use --tls (ZK_LOCK_TLS).');
    const refused = explain(
      new LockAccessError('/locks', { username: 'billing', scheme: 'digest' }),
    ).message;
    expect(refused).toContain('Check the password and the --user (ZK_LOCK_USER): ');
    expect(refused).not.toContain('troubleshooting');
  });

  it('about a lost lock names flags of the command, not options of the library', () => {
    const lost = new LockLostError('a\n', 'write', 'session-too-short');
    expect(explain(lost).message).toBe(
      'The lock "a\\u{a}" was lost: a server has granted a session too short for --tick-time (ZK_LOCK_TICK_TIME) and --kill-after.',
    );
  });

  it("is explained in terms of its own flags, with units, and without links to a library's pages", () => {
    const told = (option: string, problem: string, remedy: string) =>
      explain(new ZkLockConfigError(option, problem, remedy)).message;
    expect(
      told('sessionTimeoutMs', 'must be an integer from 1 to 9 (milliseconds); got 0', 'Pass 5.'),
    ).toBe(
      '--session-timeout (ZK_LOCK_SESSION_TIMEOUT) must be a time from 1ms to 9ms; got 0ms. Pass 5ms.',
    );
    expect(told('marginMs', 'of 9000 ms is too long', 'Pass 7 or less.')).toMatch(
      /^--kill-after is too long for the session that ZooKeeper has granted: pass less/,
    );
    const line =
      "Accept it by `acl: 'open'`, or pass `foreign: true`: docs/security.md of nestjs-zk-lock.";
    expect(inFlags(line)).toBe('Accept it by --acl (ZK_LOCK_ACL) open, or pass --foreign.');
    expect(inFlags('See x. See "Draining a directory" in docs/operating.md.')).toBe('See x.');
    expect(inFlags('It was lost. See nestjs-zk-lock/docs/troubleshooting.md#lock_lost')).toBe(
      'It was lost.',
    );
  });

  it.each([
    {
      error: new LockDirectoryError(
        'The key belongs to a semaphore. Use it with `semaphore(key)`, and give the lock another key.',
      ),
      says: '"zk-lock run" takes one of its permits with --permits; locks need another key.',
    },
    {
      error: new ZkLockConfigError(
        'tls',
        'has certificates or keys that cannot be read (no start line)',
        'Pass `ca`, `cert` and `key` in PEM format, as strings or buffers.',
      ),
      says: 'Pass --tls-ca (ZK_LOCK_TLS_CA), --tls-cert (ZK_LOCK_TLS_CERT) and --tls-key (ZK_LOCK_TLS_KEY) in PEM format.',
    },
    {
      error: new ZkLockConfigError(
        'sessionTimeoutMs',
        'is too short',
        'Raise `sessionTimeoutMs`, and `maxSessionTimeout` on the servers, to 1540 or more; or set `tickTimeMs`.',
      ),
      says: 'Raise --session-timeout (ZK_LOCK_SESSION_TIMEOUT), and maxSessionTimeout on the servers, to 1540ms or more;',
    },
  ])('gives advice that can be followed here: $says', ({ error, says }) => {
    expect(explain(error).message).toContain(says);
  });

  it.each([1, 2])('advises the operator about a deadlock of %i', (length) => {
    const call = { holder: { host: 'h', pid: 1, since: '' }, holds: 'a', waitsFor: 'a', node: '' };
    const deadlock = Array.from({ length }, () => call);
    const { remedy } = problemView({ kind: 'deadlock', severity: 'serious', key: 'a', deadlock });
    expect(remedy).not.toMatch(/`|reentrant|withLocks/);
  });

  it.each([
    { mode: 'write', timeoutMs: 0, message: '"a" was busy.' },
    { mode: 'write', timeoutMs: 300, message: '"a" was still busy after 300 ms.' },
    { mode: 'read', timeoutMs: 1_500, message: '"a" was still busy after 1.5 s.' },
    { key: 'a\nb', mode: 'write', timeoutMs: 0, message: String.raw`"a\u{a}b" was busy.` },
    { mode: 'permit', timeoutMs: 0, message: 'no permit of "a" was free.' },
    { mode: 'permit', timeoutMs: 300, message: 'no permit of "a" was free after 300 ms.' },
  ] as const)('of a busy $mode says how long it has waited: $timeoutMs ms', (given) => {
    const { key = 'a', mode, timeoutMs, message } = given;
    expect(explain(new LockTimeoutError(key, mode, timeoutMs)).message).toBe(message);
  });
});

describe('the exit code of a command', () => {
  const ended = { code: 7, signal: null, wasLeaseOver: false, endedAt: 0 };
  it.each([
    { end: ended, reason: 'ended', exitCode: 7 },
    { end: { ...ended, code: null, signal: 'SIGTERM' }, reason: 'ended', exitCode: 143 },
    { end: { ...ended, code: 0 }, reason: 'lost', exitCode: 76 },
    { end: { ...ended, code: 0 }, reason: 'max-hold', exitCode: 124 },
  ] as const)('is $exitCode where it $reason with $end.code', ({ end, reason, exitCode }) => {
    expect(exitCodeOf(end, reason)).toBe(exitCode);
  });
});
