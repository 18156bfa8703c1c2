import { expect, it } from 'vitest';
import { Disk } from './disk.js';
import type { Entry } from './entry.js';
import { Replica } from './replica.js';

const open = (zxid: number): Entry => ({
  ...{ zxid, time: 0, at: 0, refusal: undefined },
  request: { kind: 'open', sessionId: BigInt(zxid), timeoutMs: 1_000 },
});

/** A server that has executed this many entries, each of which opens a session. */
function filled(count: number): { readonly disk: Disk; readonly replica: Replica } {
  const disk = new Disk(500);
  const replica = Replica.empty(500);
  for (let zxid = 1; zxid <= count; zxid++) {
    disk.log.append(open(zxid));
    replica.apply(open(zxid));
    disk.noteApplied(replica);
  }
  return { disk, replica };
}

const stateOf = ({ lastZxid, database }: Replica) => ({
  lastZxid,
  sessions: Array.from(database.sessions, ({ id }) => Number(id)).toSorted((a, b) => a - b),
});

it.each([0, 1, 99, 100, 101, 250, 300])('restores the state after %i entries', (count) => {
  const { disk, replica } = filled(count);
  expect(stateOf(disk.load())).toEqual(stateOf(replica));
});

it('drops the entries before its second-to-last snapshot', () => {
  const { disk } = filled(250);
  expect(disk.log.has(99)).toBe(false);
  expect(disk.log.before(100)).toBeUndefined();
  expect(disk.log.has(100)).toBe(true);
  expect(disk.log.after(100)).toHaveLength(150);
});

it("replaces its state by a leader's snapshot, and continues after it", () => {
  const { disk } = filled(150);
  const { replica: leader } = filled(300);
  expect(stateOf(disk.replaceBy(leader.database.copy()))).toEqual(stateOf(leader));
  expect(disk.log.lastZxid).toBe(300);
  disk.log.append(open(301));
  leader.apply(open(301));
  expect(stateOf(disk.load())).toEqual(stateOf(leader));
});

it('starts empty after losing its data', () => {
  const { disk } = filled(150);
  disk.lose();
  expect(stateOf(disk.load())).toEqual({ lastZxid: 0, sessions: [] });
  expect([disk.acceptedEpoch, disk.currentEpoch, disk.log.lastZxid]).toEqual([0, 0, 0]);
});
