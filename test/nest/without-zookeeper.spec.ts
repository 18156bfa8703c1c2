import { Test } from '@nestjs/testing';
import { ZkLockModule } from 'nestjs-zk-lock';
import { expect, it, onTestFinished, vi } from 'vitest';
import { waitFor } from '../support/wait-for.js';

/** No server listens there. */
const SERVERS = '127.0.0.1:1';

it("says on standard error why there is no ZooKeeper, although Nest's logger of tests drops warnings", async () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  onTestFinished(() => write.mockRestore());
  const module = await Test.createTestingModule({
    imports: [ZkLockModule.forRoot({ servers: SERVERS, lazy: true })],
  }).compile();
  onTestFinished(() => module.close());
  const found = await waitFor(() => written.find((text) => text.includes('ZooKeeper')), {
    what: 'a line',
  });
  expect(found).toContain(`No connection to ZooKeeper at ${SERVERS} within 2 s: connect ECONN`);
  expect(found).toContain('In a test, use withEmbeddedZooKeeper() of nestjs-zk-lock/testing.');
});
