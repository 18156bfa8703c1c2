import { describe, expect, it } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import type { ZkLockLogger } from '../logger.js';
import { ConnectProblems } from './connect-problems.js';

function open(servers = 'zk1:2181,zk2:2181') {
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const logger: ZkLockLogger = {
    debug: note('debug'),
    log: note('log'),
    warn: note('warn'),
    error: note('error'),
  };
  return { problems: new ConnectProblems(logger, servers), lines };
}

const A = '10.0.0.1:2181';

/** As both clients report it. */
function lost(server: string, cause?: Error): ZooKeeperError {
  return new ZooKeeperError(ReturnCode.connectionLoss, 'connect', server, { cause });
}

function refused(server: string): ZooKeeperError {
  const cause = new Error(`connect ECONNREFUSED ${server}`);
  return lost(server, Object.assign(cause, { code: 'ECONNREFUSED' }));
}

const readOnly = (server: string): ZooKeeperError =>
  lost(server, new Error(`${server} is read-only: there is no majority`));

/** The reasons of the warnings. */
const reasonsOf = (lines: readonly string[]): string[] =>
  lines.map((line) => /^warn: Cannot connect to ZooKeeper at \S+: (.*)\. Trying/.exec(line)![1]!);

describe('attempts to connect that fail', () => {
  it('are logged from the second one on, in one line with the reason', () => {
    const { problems, lines } = open();
    problems.failed(refused(A));
    expect(lines).toEqual([]);
    for (let attempt = 0; attempt < 20; attempt++) problems.failed(refused(A));
    expect(lines).toEqual([
      'warn: Cannot connect to ZooKeeper at zk1:2181,zk2:2181: connect ECONNREFUSED 10.0.0.1:2181. Trying again; this is logged again only when the reason changes.',
    ]);
  });

  it('are logged again when the reason changes, or changes back', () => {
    const { problems, lines } = open();
    for (const error of [refused(A), refused(A), readOnly(A), readOnly(A), refused(A)]) {
      problems.failed(error);
    }
    expect(reasonsOf(lines)).toEqual([
      `connect ECONNREFUSED ${A}`,
      `${A} is read-only: there is no majority`,
      `connect ECONNREFUSED ${A}`,
    ]);
  });

  it('are logged once where the server refuses a different node in each attempt', () => {
    const { problems, lines } = open();
    for (const path of ['/a', '/b', '/c'])
      problems.failed(new ZooKeeperError(-124, 'delete', path));
    expect(lines).toHaveLength(1);
  });

  it('tell what the server has refused, also where the connection is lost in the next one', () => {
    const { problems } = open();
    const refusal = new ZooKeeperError(-124, 'delete', '/a');
    problems.failed(refusal);
    problems.failed(new ZooKeeperError(ReturnCode.connectionLoss, 'delete', '/b'));
    expect(problems.latest).toBe(refusal);
    problems.failed(refused(A));
    expect(problems.latest).toMatchObject({ request: 'connect' });
  });

  it('do not fill the log, however many reasons there are', () => {
    const { problems, lines } = open();
    for (let number = 0; number < 100; number++) problems.failed(new Error(`problem ${number}`));
    expect(lines).toHaveLength(5);
  });
});

it('the reason says how many other addresses have it as well', () => {
  const { problems } = open();
  const B = '10.0.0.2:2181';
  for (const error of [refused(A), readOnly('10.0.0.3:2181'), refused(B)]) problems.failed(error);
  expect(problems.reason).toBe(
    `connect ECONNREFUSED ${B} (and 1 more address); 10.0.0.3:2181 is read-only: there is no majority`,
  );
});

it('a connection that ends is the reason until another one fails to begin', () => {
  const { problems } = open();
  problems.connected();
  problems.lost(A, new Error('read ECONNRESET'));
  expect(problems.reason).toBe(`${A}: read ECONNRESET`);
  problems.failed(refused(A));
  expect(problems.reason).toBe(`connect ECONNREFUSED ${A}`);
  problems.connected();
  expect(problems.reason).toBeUndefined();
  problems.lost(A, undefined);
  expect(problems.reason).toBe(`${A}: connection lost`);
});

it('an outage has one warning, however its reasons change, and the next one has another', () => {
  const { problems, lines } = open();
  problems.connected();
  for (let outage = 0; outage < 2; outage++) {
    problems.lost(A, undefined);
    for (const error of [refused(A), refused(A), readOnly(A)]) problems.failed(error);
    problems.connected();
  }
  const levels = lines.map((line) => line.split(': ')[0]);
  expect(levels).toEqual(['warn', 'log', 'log', 'warn', 'log', 'log']);
});

describe('the reason of a failed attempt', () => {
  it.each([
    ['what the system said', refused(A), `connect ECONNREFUSED ${A}`],
    [
      'with the server where it names none',
      lost(A, new Error('self-signed certificate')),
      `${A}: self-signed certificate`,
    ],
    ['that the connection was lost, where nothing else is known', lost(A), `${A}: connection lost`],
    [
      'that there was no answer, and not that a timer ended',
      new ZooKeeperError(ReturnCode.operationTimeout, 'connect', A, {
        cause: new Error('aborted due to timeout'),
      }),
      `${A}: no answer in time`,
    ],
    ['what the resolver said', new Error('getaddrinfo ENOTFOUND zk1'), 'getaddrinfo ENOTFOUND zk1'],
    [
      'what the server refused behind the handshake',
      new ZooKeeperError(-115, 'addAuth', 'sasl'),
      'ZooKeeper addAuth sasl: authentication failed (-115)',
    ],
    ['whatever was thrown', 'nonsense', 'nonsense'],
  ])('is %s', (_what, error, reason) => {
    const { problems } = open();
    expect(problems.reason).toBeUndefined();
    problems.failed(error);
    expect(problems.reason).toBe(reason);
    expect(problems.latest).toBe(error);
    problems.connected();
    expect(problems.reason).toBeUndefined();
    expect(problems.latest).toBeUndefined();
  });
});

it.each(['10.0.0.1:2181', '10.0.0.1:2181/app'])(
  'the reason does not repeat the address of the only server, as in %s',
  (servers) => {
    const { problems, lines } = open(servers);
    problems.failed(lost(A));
    expect(problems.reason).toBe('connection lost');
    const bad = { library: 'SSL routines', reason: 'bad record', code: 'ERR_SSL_BAD_RECORD' };
    const cause = Object.assign(new Error('80AC:error:0A:SSL routines::bad record:s3.c:1\n'), bad);
    for (let attempt = 0; attempt < 2; attempt++) problems.failed(lost(A, cause));
    expect(reasonsOf(lines)).toEqual(['TLS: bad record']);
  },
);
