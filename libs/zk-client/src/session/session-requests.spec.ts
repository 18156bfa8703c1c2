import { expect, it, onTestFinished, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import { User } from '../port/user.js';
import type { Operation, ZooKeeperClient } from '../port/zookeeper-client.js';
import { Clock } from './clock.js';
import type { SessionLease } from './session-lease.js';
import { SessionRequests } from './session-requests.js';

const lease = { answered: () => undefined } as unknown as SessionLease;

class Requests extends SessionRequests {
  constructor(
    private readonly client: Partial<ZooKeeperClient>,
    user?: User,
  ) {
    super(new Clock(), () => false, user?.onlyAcl());
  }

  protected clientOf(): ZooKeeperClient {
    return this.client as ZooKeeperClient;
  }

  whenReconnected(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

it('refuses a transaction that is too long with the ACLs of its nodes, before it is sent', async () => {
  const transact = vi.fn(() => Promise.resolve([]));
  const operations = Array.from({ length: 10_000 }, (_, index): Operation => ({
    ...{ type: 'create', mode: 'persistent', data: Buffer.alloc(0) },
    path: `/${String(index)}`,
  }));
  await new Requests({ transact }).transact(lease, operations);
  expect(transact).toHaveBeenCalledTimes(1);
  const restricted = new Requests({ transact }, new User('digest', 'user', 'password'));
  const refused = { code: 'ZK_LOCK_CONFIG', option: 'build' };
  await expect(restricted.transact(lease, operations)).rejects.toMatchObject(refused);
  expect(transact).toHaveBeenCalledTimes(1);
});

it('does not resend a write that a busy server refused, once the call behind it is over', async () => {
  const throttled = new ZooKeeperError(ReturnCode.throttledOp, 'write', '/a');
  const refuse = vi.fn(() => Promise.reject(throttled));
  const requests = new Requests({ create: refuse, set: refuse, delete: refuse, transact: refuse });
  const data = Buffer.alloc(0);
  let isOver = false;
  const over = new Error('over');
  const caller = {
    throwIfOver: () => {
      if (isOver) throw over;
    },
  };
  const writes = Promise.allSettled([
    requests.create(lease, '/a', data, 'persistent', { caller }),
    requests.set(lease, '/a', data, 1, caller),
    requests.delete(lease, '/a', caller),
    requests.transact(lease, [{ type: 'delete', path: '/a' }], caller),
  ]);
  await expect.poll(() => refuse.mock.calls.length).toBeGreaterThan(8);
  isOver = true;
  const sent = refuse.mock.calls.length;
  const rejected = { status: 'rejected', reason: over };
  expect(await writes).toEqual([rejected, rejected, rejected, rejected]);
  expect(refuse).toHaveBeenCalledTimes(sent);
});

it('does not resend a watch that a busy server refused, once it has been removed', async () => {
  const throttled = new ZooKeeperError(ReturnCode.throttledOp, 'addWatch', '/a');
  const addWatch = vi.fn(() => Promise.reject(throttled));
  const removeWatches = vi.fn(() => Promise.resolve());
  const requests = new Requests({ addWatch, removeWatches });
  const added = requests.addWatch(lease, '/a', { recursive: false });
  await requests.removeWatch(lease, '/a');
  const answered = vi.spyOn(requests.news, 'answered');
  await added;
  // Nothing was asked again, so there is no new answer.
  expect(answered).not.toHaveBeenCalled();
  expect(removeWatches).toHaveBeenCalledTimes(1);
  expect(addWatch).toHaveBeenCalledTimes(1);
});

it('takes nothing for an answer if a client cannot remove watches', async () => {
  const requests = new Requests({ addWatch: () => Promise.resolve() });
  await requests.addWatch(lease, '/a', { recursive: false });
  const answered = [vi.spyOn(requests.news, 'answered'), vi.spyOn(lease, 'answered')];
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(requests.removeWatch(lease, '/a')).rejects.toMatchObject({ option: 'client' });
  for (const counted of answered) expect(counted).not.toHaveBeenCalled();
  expect(requests.lastingWatchOn('/a')).toBeUndefined();
});

it('sets the watch of a caller before it says so, even if another caller has asked for it meanwhile', async () => {
  const throttled = new ZooKeeperError(ReturnCode.throttledOp, 'addWatch', '/a');
  let isBusy = true;
  let isSet = false;
  const addWatch = async (): Promise<void> => {
    if (isBusy) throw throttled;
    isSet = true;
    return Promise.resolve();
  };
  const requests = new Requests({ addWatch });
  const setWhenAdded: boolean[] = [];
  // Both pauses are of the same length, so the first call sends its request again first.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const add = async (): Promise<void> => {
    await requests.addWatch(lease, '/a', { recursive: false });
    setWhenAdded.push(isSet);
  };
  const both = Promise.all([add(), add()]);
  await expect.poll(() => requests.lastingWatchOn('/a')).toBeDefined();
  isBusy = false;
  await both;
  expect(setWhenAdded).toEqual([true, true]);
});
