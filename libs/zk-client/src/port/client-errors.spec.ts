import { describe, expect, it } from 'vitest';
import { isConnectionError, ZooKeeperError } from './client-errors.js';

describe('ZooKeeper return codes', () => {
  it.each([
    [-2, 'ambiguous', true],
    [-4, 'ambiguous', true],
    [-7, 'ambiguous', true],
    [-9, 'not-sent', true],
    [-101, 'definite', false],
    [-102, 'definite', false],
    [-110, 'definite', false],
    [-111, 'definite', false],
    [-112, 'session-over', true],
    [-113, 'auth', false],
    [-114, 'definite', false],
    [-115, 'auth', false],
    [-116, 'ambiguous', true],
    [-118, 'ambiguous', true],
    [-119, 'definite', false],
    [-129, 'definite', false],
    [-99, 'ambiguous', true],
  ] as const)('%i is %s', (code, outcome, reconnectDecides) => {
    const error = new ZooKeeperError(code, 'create', '/locks');
    expect(error.outcome).toBe(outcome);
    expect(isConnectionError(error)).toBe(reconnectDecides);
  });

  it('name the request, the path and the number', () => {
    const error = new ZooKeeperError(-101, 'delete', '/locks/a');
    expect(error).toMatchObject({ name: 'ZooKeeperError', code: 'ZK_NO_NODE', returnCode: -101 });
    expect(error.message).toContain('ZooKeeper delete /locks/a: no node (-101). ');
  });

  it('name the reason of OpenSSL, and not its sources', () => {
    const message = '80AC:error:0A000412:SSL routines:ssl3_read_bytes:bad certificate:s3.c:1601:\n';
    const cause = Object.assign(new Error(message), {
      ...{ library: 'SSL routines', reason: 'bad certificate' },
    });
    const error = new ZooKeeperError(-4, 'connect', 'zk1:2181', { cause });
    expect(error.message).toContain(': connection lost (-4): TLS: bad certificate. ');
  });
});
