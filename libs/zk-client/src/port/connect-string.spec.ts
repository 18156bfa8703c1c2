import { describe, expect, it } from 'vitest';
import { findServersProblem, formatConnectString, parseConnectString } from './connect-string.js';

describe('connect string', () => {
  it.each([
    ['zk', 'zk:2181'],
    ['zk:2182', 'zk:2182'],
    ['a:1,b:2, c', 'a:1,b:2,c:2181'],
    ['zk/app', 'zk:2181/app'],
    ['zk:1/app/locks/', 'zk:1/app/locks'],
    ['zk/', 'zk:2181'],
    ['ssl:2281,tls:1/app', 'ssl:2281,tls:1/app'],
    ['[::1]:2181,[fe80::2]', '[::1]:2181,[fe80::2]:2181'],
    ['127.0.0.1:2181', '127.0.0.1:2181'],
  ])('reads %j as %j', (text, normal) => {
    expect(findServersProblem(text)).toBeUndefined();
    expect(formatConnectString(parseConnectString(text))).toBe(normal);
  });

  it.each([
    [undefined, 'it is undefined'],
    ['', 'it is empty'],
    ['  ', 'it is empty'],
    [42, 'it is not a string'],
    ['a,,b', 'contains "", which is not a host and port'],
    ['zk:port', 'contains "zk:port", which is not a host and port'],
    ['zk:2181,2182', 'contains "2182", which has no host: write host:port'],
    ['zk:0', 'whose port is not from 1 to 65535'],
    ['zk:65536', 'whose port is not from 1 to 65535'],
    ['::1:2181', 'is not a host and port'],
    ['[nonsense]:2181', 'is not a host and port'],
    ['user:hunter2@zk:2181', 'contains an "@"'],
    ['a@zk:2181', 'pass a user and a password as `credentials`'],
    ['http://zk:2181', 'is a URL'],
    ['a:1/app,b:1/app', 'write the chroot once, at the end'],
    ['a:1/app,b:1,c:1', 'names a server after the chroot'],
    ['zk/a//b', 'empty segment'],
    ['zk/a/../b', '".." segment'],
    ['zk/a\u0000b', 'character that ZooKeeper refuses'],
  ])('is refused if it is %j', (text, problem) => {
    expect(findServersProblem(text)).toContain(problem);
    expect(findServersProblem(text)).not.toContain('hunter2');
  });

  it.each([
    'zks://zk:2281',
    'ZKS://user:hunter2@zk:2281/app',
    'ssl:zk:2281',
    'tls:10.0.0.1:2281',
    'ssl://zk1:2281,ssl://zk2:2281',
    'zk:2181, tls://zk:2281',
    'zookeeper+ssl://zk:2281',
    'https://zk:2281',
  ])('refers to the option `tls` if it is %j', (text) => {
    expect(findServersProblem(text)).toMatch(/asks for TLS.*host:port.*`tls: true`/);
    expect(findServersProblem(text)).not.toContain('hunter2');
  });
});
