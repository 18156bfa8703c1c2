import { describe, expect, it } from 'vitest';
import { onlyFor } from '../port/user.js';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import type { Created, CreateMode } from '../port/zookeeper-client.js';
import { createRestricted, type OpenCreation } from './create-restricted.js';

const PATH = '/k/node-';
const DATA = Buffer.from('who holds it');

type Request = 'create' | 'setAcl' | 'setData' | 'delete';

/** A server that answers requests with these codes, and what it was asked for. */
function create(
  mode: CreateMode,
  codes: Partial<Record<Request, number>>,
): { creating: Promise<Created>; requests: string[] } {
  const requests: string[] = [];
  const answer = <T>(request: Request, path: string, value: T, data?: Buffer): Promise<T> => {
    requests.push(data ? `${request} ${path} "${data.toString()}"` : `${request} ${path}`);
    const code = codes[request] ?? ReturnCode.ok;
    if (code === ReturnCode.ok) return Promise.resolve(value);
    return Promise.reject(new ZooKeeperError(code, request, path));
  };
  const suffix = mode === 'ephemeral-sequential' ? '0000000007' : '';
  const client: OpenCreation = {
    createOpen: (path, data) =>
      answer('create', path, { path: path + suffix, czxid: undefined }, data),
    setAcl: (path) => answer('setAcl', path, undefined),
    setFirst: (path, data) => answer('setData', path, 42n, data),
    delete: (path) => answer('delete', path, undefined),
  };
  const creating = createRestricted(client, PATH, DATA, mode, onlyFor('digest', 'app:hash'));
  creating.catch(() => undefined);
  return { creating, requests };
}

const outcomeOf = (creating: Promise<Created>): Promise<unknown> =>
  creating.catch((error: unknown) => (error as ZooKeeperError).returnCode);

describe('a sequential node', () => {
  it('is open and empty until its path is known', async () => {
    const { creating, requests } = create('ephemeral-sequential', {});
    expect(await creating).toEqual({ path: `${PATH}0000000007`, czxid: 42n });
    expect(requests).toEqual([
      `create ${PATH} ""`,
      `setAcl ${PATH}0000000007`,
      `setData ${PATH}0000000007 "who holds it"`,
    ]);
  });

  it.each<[string, Partial<Record<Request, number>>]>([
    ['its ACL is refused', { setAcl: ReturnCode.noAuth }],
    ['a busy server puts off its data', { setData: ReturnCode.throttled }],
    ['the connection is lost behind its creation', { setAcl: ReturnCode.connectionLoss }],
    ['it has gone', { setAcl: ReturnCode.noNode, setData: ReturnCode.noNode }],
  ])('may be there, incomplete, when %s', async (_, codes) => {
    const { creating } = create('ephemeral-sequential', codes);
    await expect(creating).rejects.toMatchObject({ request: 'create', outcome: 'ambiguous' });
  });

  it('is not there when its creation is refused', async () => {
    const { creating, requests } = create('ephemeral-sequential', { create: ReturnCode.noNode });
    expect(await outcomeOf(creating)).toBe(ReturnCode.noNode);
    expect(requests).toHaveLength(1);
  });
});

describe('a node with a name of its own', () => {
  it('is completed in the same round trip', () => {
    expect(create('ephemeral', {}).requests).toEqual([
      `create ${PATH} ""`,
      `setAcl ${PATH}`,
      `setData ${PATH} "who holds it"`,
    ]);
    expect(create('container', {}).requests).toEqual([
      `create ${PATH} "who holds it"`,
      `setAcl ${PATH}`,
    ]);
  });

  it.each<[string, Partial<Record<Request, number>>, number]>([
    ['it was there', { create: ReturnCode.nodeExists }, ReturnCode.nodeExists],
    ['its parent is missing', { create: -101, setAcl: -101, setData: -101 }, ReturnCode.noNode],
    ['it may not be restricted', { setAcl: ReturnCode.noAuth }, ReturnCode.noAuth],
    [
      'it was there and may not be restricted',
      { create: ReturnCode.nodeExists, setAcl: ReturnCode.noAuth },
      ReturnCode.noAuth,
    ],
    [
      'it may neither be restricted nor removed',
      { setAcl: ReturnCode.noAuth, delete: ReturnCode.noAuth },
      ReturnCode.noAuth,
    ],
    [
      'it stays unknown whether an open one is left',
      { setAcl: ReturnCode.noAuth, delete: ReturnCode.connectionLoss },
      ReturnCode.connectionLoss,
    ],
    ['the connection is lost', { setAcl: ReturnCode.connectionLoss }, ReturnCode.connectionLoss],
  ])('says so when %s', async (_, codes, returnCode) => {
    expect(await outcomeOf(create('ephemeral', codes).creating)).toBe(returnCode);
  });

  it('is removed only where its ACL was refused', async () => {
    const isRemoved = async (codes: Partial<Record<Request, number>>): Promise<boolean> => {
      const { creating, requests } = create('ephemeral', codes);
      await outcomeOf(creating);
      return requests.includes(`delete ${PATH}`);
    };
    expect(await isRemoved({ setAcl: ReturnCode.noAuth })).toBe(true);
    expect(await isRemoved({ setAcl: ReturnCode.connectionLoss })).toBe(false);
    expect(await isRemoved({ create: ReturnCode.noAuth, setAcl: ReturnCode.noAuth })).toBe(false);
    expect(await isRemoved({ create: ReturnCode.nodeExists })).toBe(false);
  });
});
