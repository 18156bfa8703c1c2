import { expect, it } from 'vitest';
import { openLocks } from '../../support/locks.js';
import type { Pair } from './pair.js';

/** Tests of elections that our library shares with another one. */
export function testElections({
  dialect,
  partner,
  openPlace,
}: Pick<Pair, 'dialect' | 'partner' | 'openPlace'>): void {
  it('elects from one queue, in the order of arrival, and both sides see all of it', async () => {
    const { root, directory, queued } = await openPlace();
    const [first, last] = [
      await openLocks({ root, dialect, application: 'first' }),
      await openLocks({ root, dialect, application: 'last' }),
    ];
    const ours = first.election('k');
    const { fencingToken } = await ours.whenLeader();
    const elected = partner().lead(directory, 'theirs');
    await queued(2);
    const oursToo = last.election('k');
    await queued(3);

    const candidates = (await partner().candidates(directory)) as string[];
    expect(candidates.map(applicationOf)).toEqual(['first', 'theirs', 'last']);
    const seen = await oursToo.inspect({ linearizable: true });
    expect(seen.leader?.holder).toMatchObject({ application: 'first', pid: process.pid });
    expect(seen.waiters.map(({ holder }) => holder?.application)).toEqual([undefined, 'last']);

    await ours.resign();
    const theirs = await elected;
    await queued(3);
    expect([ours.isLeader, oursToo.isLeader]).toEqual([false, false]);
    expect((await ours.inspect()).leader?.fencingToken).toBeGreaterThan(fencingToken);

    await theirs.release();
    await oursToo.whenLeader();
    await oursToo.close();
    expect((await ours.whenLeader()).fencingToken).toBeGreaterThan(fencingToken);
  });
}

/** Our candidates identify themselves as JSON, those of the partner with one word. */
function applicationOf(candidate: string): unknown {
  if (!candidate.startsWith('{')) return candidate;
  return (JSON.parse(candidate) as { application?: unknown }).application;
}
