import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { ZkLockConfigError, ZooKeeperUnavailableError } from './zk-lock-error.js';

it.each([
  new ZkLockConfigError('root', 'must be an absolute path', 'Pass "/locks".'),
  new ZooKeeperUnavailableError('ZooKeeper at zk:2181 did not answer.'),
])('$name is printed with the frames of the application alone', (error) => {
  const ours = '    at new OrderService (/app/dist/order.service.js:9:3)';
  error.stack = [
    String(error),
    '    at checkValue (/app/node_modules/zk-client/dist/index.cjs:1:2)',
    ours,
    '    at async Injector.instantiate (file:///app/node_modules/@nestjs/core/injector.js:3:4)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
  ].join('\n');
  expect(inspect(error)).toBe(`${String(error)}\n${ours} { code: '${error.code}' }`);
});

it('is printed even if its causes form a circle, or cannot be converted to a string', () => {
  const circular = new Error('refused');
  circular.cause = circular;
  const aborted = new DOMException('aborted', 'AbortError');
  const refusals = [circular, Object.create(null) as unknown, aborted].map((cause) =>
    inspect(new ZkLockConfigError('key', 'failed', 'Correct it.', { cause })),
  );
  expect(refusals[0]).toContain('[cause]: Error: refused }');
  expect(refusals[1]).toContain('[cause]: [Object: null prototype] {} }');
  expect(refusals[2]).toContain('[cause]: AbortError: aborted }');
});
