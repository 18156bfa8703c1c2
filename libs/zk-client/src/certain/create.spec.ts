import { expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import type { SessionLease } from '../session/session-lease.js';
import { SessionOverError } from './ask.js';
import { createNode, type Creator, type NewNode } from './create.js';
import type { NodeRemover } from './node-remover.js';
import { reserveNode } from './session-nodes.js';

/** A directory on a server that can lose what it is asked for, or its answers. */
class Model {
  readonly lease = {} as SessionLease;
  readonly names: string[] = [];
  readonly expected: string[] = [];
  next: 'executed' | 'answer lost' | 'request lost' | 'no directory' = 'executed';
  isSessionOver = false;
  attempts = 0;

  readonly makeDirectory = vi.fn(() => Promise.resolve());
  readonly onSent = vi.fn();
  readonly onUnanswered = vi.fn();

  create(given: Partial<NewNode> = {}): Promise<{ path: string }> {
    const { makeDirectory, onSent, onUnanswered } = this;
    return createNode(this.#creator, this.lease, {
      ...{ directory: '/k', mode: 'ephemeral-sequential', data: 'd' },
      ...{ newName: () => `_${++this.attempts}-`, makeDirectory, onSent, onUnanswered },
      ...given,
    });
  }

  get #creator(): Creator {
    const session: Creator['session'] = {
      create: async (_lease, path, _data, mode, creation) => {
        creation?.onSent?.();
        const { next } = this;
        this.next = 'executed';
        if (next === 'no directory') throw new ZooKeeperError(ReturnCode.noNode, 'create', path);
        const created = mode === 'ephemeral' ? path : `${path}0000000007`;
        if (next !== 'request lost') this.names.push(created.slice('/k/'.length));
        if (next === 'executed') return { path: created, czxid: 1n };
        throw new ZooKeeperError(ReturnCode.connectionLoss, 'create', path);
      },
      sync: () => Promise.resolve(),
      whenReconnected: () => Promise.resolve(!this.isSessionOver),
    };
    const remover = {
      expectLate: (_, directory, name) => void this.expected.push(`${directory}/${name}`),
    } as Pick<NodeRemover, 'expectLate'>;
    return { session, remover, lists: { list: () => Promise.resolve([...this.names]) } };
  }
}

it('finds a node whose answer was lost, of which lists know from then on', async () => {
  const model = new Model();
  model.next = 'answer lost';
  expect(await model.create()).toEqual({ path: '/k/_1-0000000007', czxid: undefined });
  expect(model.onUnanswered).toHaveBeenCalledOnce();
  expect(model.onSent).toHaveBeenCalledTimes(2);
  expect(model.expected).toEqual([]);
});

it('gives up what is not to be seen, and creates another node', async () => {
  const model = new Model();
  model.next = 'request lost';
  expect(await model.create()).toMatchObject({ path: '/k/_2-0000000007' });
  expect(model.expected).toEqual(['/k/_1-']);
});

it('makes the directory where it may, and is refused where it may not', async () => {
  const model = new Model();
  model.next = 'no directory';
  await model.create();
  expect(model.makeDirectory).toHaveBeenCalledWith('/k');
  model.next = 'no directory';
  const refused = model.create({ makeDirectory: undefined });
  await expect(refused).rejects.toMatchObject({ returnCode: ReturnCode.noNode });
});

it('ends with its session', async () => {
  const model = new Model();
  model.next = 'answer lost';
  model.isSessionOver = true;
  await expect(model.create()).rejects.toThrow(SessionOverError);
});

it.each(['ephemeral', 'ephemeral-sequential'] as const)(
  'counts the one node that is there, and no attempt (%s)',
  async (mode) => {
    const model = new Model();
    model.next = 'request lost';
    const { path } = await model.create({ mode });
    // A path takes four bytes more than its length, of the million that a session has.
    reserveNode(model.lease, 'x'.repeat(1_000_000 - (path.length + 4) - 4));
    expect(() => reserveNode(model.lease, '')).toThrow('too many lock nodes');
  },
);
