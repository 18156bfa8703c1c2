import { expect, it } from 'vitest';
import { describeStranger } from './stranger.js';

it.each<[what: string, said: Buffer, described: RegExp | undefined]>([
  [
    'HTTP',
    Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
    /an HTTP server, .* "HTTP\/1\.1 400 Bad Request"$/,
  ],
  ['the first piece of HTTP', Buffer.from('HTTP'), /an HTTP server/],
  [
    'SSH',
    Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'),
    /not a ZooKeeper server: it says "SSH-2\.0-OpenSSH_9\.6"$/,
  ],
  ['a long line, which is cut', Buffer.alloc(1_000, 'x'), /"x{60}"$/],
  ['escapes, which are not shown', Buffer.from('+PONG\u001b[31m'), /"\+PONG"$/],
  ['an alert of TLS', Buffer.from('15030300020246', 'hex'), /speaks TLS at this port/],
  ['a frame that is too long', Buffer.from('7fffffff00000000', 'hex'), undefined],
  ['nothing', Buffer.alloc(0), undefined],
])('is recognized by its first bytes: %s', (_, said, described) => {
  if (described) expect(describeStranger(said)).toMatch(described);
  else expect(describeStranger(said)).toBeUndefined();
});
