import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../zk-client/src/logger.js';
import { Locks } from '../facade/locks.js';
import type { LocksOptions } from './locks-options.js';

const digest = { username: 'app', password: 'opensesame' };
const sasl = { ...digest, scheme: 'sasl' } as const;

const warningsOf = (options: LocksOptions): string[] => {
  const lines: string[] = [];
  new Locks(options, { ...silentLogger, warn: (line) => void lines.push(line) });
  expect(lines.join()).not.toContain('opensesame');
  return lines;
};

describe('what is open to the network', () => {
  it.each([
    [
      'digest',
      'zk1:2181,127.0.0.1:2181',
      digest,
      /\(digest\).*zk1:2181.*learns the password.*Set `tls`/,
    ],
    [
      'sasl',
      '127.0.0.1:2181,10.0.0.7',
      sasl,
      /\(sasl\).*10\.0\.0\.7:2181.*take over the connection.*Set `tls`/,
    ],
    [
      'a name that only begins as an address',
      '127.0.0.1.example.com',
      digest,
      /127\.0\.0\.1\.example/,
    ],
    ['an IPv6 address', '[2001:db8::1]:2181', digest, /\[2001:db8::1\]:2181/],
  ])('is reported in one warning: %s', (_, servers, credentials, line) => {
    expect(warningsOf({ servers, credentials })).toEqual([expect.stringMatching(line)]);
  });

  it.each([
    [
      'servers on loopback',
      { servers: '127.0.0.1,127.9.9.9:1,[::1]:2181,LOCALHOST', credentials: sasl },
    ],
    ['no credentials', { servers: 'zk1:2181' }],
    ['TLS', { servers: 'zk1:2181', credentials: digest, tls: true }],
    ['verified certificates', { servers: 'zk1:2181', tls: { rejectUnauthorized: true } }],
  ])('is nothing with %s', (_, options) => {
    expect(warningsOf(options)).toEqual([]);
  });

  it('is reported in one warning if certificates are not verified', () => {
    const tls = { rejectUnauthorized: false };
    expect(warningsOf({ servers: 'zk1:2181', credentials: digest, tls })).toEqual([
      expect.stringMatching(/rejectUnauthorized.*`tls\.ca`/),
    ]);
  });
});
