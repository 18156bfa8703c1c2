import { expect, it } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../client/client-errors.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { ensureNode } from './restricted-node.js';

const PATH = '/k/twin';
const failure = (code: number): Promise<never> =>
  Promise.reject(new ZooKeeperError(code, 'request', PATH));

/** Makes a node that may not be restricted; its deletion ends with this code. */
function ensure(deletion: number): Promise<void> {
  const session = {
    create: () => Promise.resolve({ path: PATH }),
    secure: () => failure(ReturnCode.noAuth),
    delete: () => (deletion === ReturnCode.ok ? Promise.resolve() : failure(deletion)),
  } as unknown as Session;
  return ensureNode(session, {} as SessionLease, PATH, Buffer.alloc(0), 'ephemeral');
}

it('says that it cannot be restricted, once it is removed', async () => {
  await expect(ensure(ReturnCode.ok)).rejects.toMatchObject({ returnCode: ReturnCode.noAuth });
});

it('says so as well where it cannot be removed either', async () => {
  await expect(ensure(ReturnCode.noNode)).rejects.toMatchObject({ returnCode: ReturnCode.noAuth });
});

it('is to be made again where nobody knows whether an open one is left', async () => {
  await expect(ensure(ReturnCode.connectionLoss)).rejects.toMatchObject({
    returnCode: ReturnCode.connectionLoss,
  });
});
