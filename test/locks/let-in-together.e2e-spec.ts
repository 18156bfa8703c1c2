import { describe, expect, it, vi } from 'vitest';
import { CLIENT_NAMES, type ClientName } from '../../libs/zk-locks/src/client/client-name.js';
import type { Lock } from '../../libs/zk-locks/src/lock.js';
import { openLastingPlace } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

const WRITER = '_c_00000000-0000-0000-0000-000000000000-__WRIT__';

async function open(client: ClientName) {
  const place = await openLastingPlace();
  const locks = await place.open({ client });
  /** A writer of another library joins the queue. */
  const writerComes = (): Promise<string> =>
    place.inspector.create(`${place.directory}/${WRITER}`, '', 'persistentSequential');
  return { ...place, locks, writerComes };
}

describe.each(CLIENT_NAMES)('a queue of one process, with %s,', (client) => {
  it('reads the node that many wait for once, and lets its readers in without a look', async () => {
    const { locks, inspector, queued, writerComes } = await open(client);
    const writer = await writerComes();
    const get = vi.spyOn(locks.session, 'get');
    const readers: Promise<Lock>[] = [];
    for (let count = 2; count <= 6; count++) {
      readers.push(locks.acquire('k', { mode: 'read', reentrant: false }));
      await queued(count);
    }
    // Each has looked, and reads its own node behind the other's.
    await waitFor(() => get.mock.results.length >= 6, { what: 'the readers to wait' });
    await Promise.all(get.mock.results.map(({ value }) => value as Promise<unknown>));
    expect(get.mock.calls.filter(([, path]) => path === writer)).toHaveLength(1);

    const list = vi.spyOn(locks.session, 'list');
    await inspector.delete(writer);
    const held = await Promise.all(readers);
    expect(list).not.toHaveBeenCalled();
    await Promise.all(held.map((lock) => lock.release()));
  });

  it('lets a writer in behind readers of its own process without a look', async () => {
    const { locks, queued } = await open(client);
    const readers: Lock[] = [];
    for (let count = 1; count <= 3; count++) {
      readers.push(await locks.acquire('k', { mode: 'read', reentrant: false }));
    }
    const writing = locks.acquire('k', { reentrant: false });
    await queued(4);
    await waitFor(async () => (await locks.inspect('k')).total === 4, { what: 'a writer' });
    const list = vi.spyOn(locks.session, 'list');
    await Promise.all(readers.map((reader) => reader.release()));
    await using writer = await writing;
    expect(writer.isHeld).toBe(true);
    expect(list).not.toHaveBeenCalled();
  });
});
