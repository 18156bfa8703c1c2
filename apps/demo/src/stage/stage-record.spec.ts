import { describe, expect, it } from 'vitest';
import type { ReplicaNews } from '../replica-news.js';
import type { Fault } from './stage-api.js';
import { StageRecord } from './stage-record.js';

const KEY = 'show:hamlet';

const granted = (at: number, waitMs = 0): ReplicaNews => ({
  ...{ what: 'granted', key: KEY, id: at, at, token: '7', waitMs },
});

const ended = (what: 'released' | 'lost', at: number): ReplicaNews => ({
  ...{ what, key: KEY, id: at, at },
});

const verdictsOf = (record: StageRecord): string[] =>
  record.news.filter(({ kind }) => kind === 'verdict').map(({ text }) => text);

/** A holds the lock when the fault comes; what follows is up to the test. */
function failing(fault: Fault): StageRecord {
  const record = new StageRecord();
  record.heard('A', granted(1_000));
  record.acted(fault, 'A', 2_000);
  return record;
}

describe('the record of the stage', () => {
  it('knows the holder and the periods of its holds', () => {
    const record = new StageRecord();
    expect(record.holder).toBeUndefined();
    record.heard('A', granted(1_000));
    expect(record.holder?.replica).toBe('A');
    record.heard('A', ended('released', 3_000));
    record.heard('B', granted(3_010, 2_500));
    expect(record.holder?.replica).toBe('B');
    expect(record.periods).toEqual([
      { replica: 'A', kind: 'held', from: 1_000, until: 3_000 },
      { replica: 'B', kind: 'held', from: 3_010 },
    ]);
    expect(record.news.map(({ replica, text }) => `${replica ?? ''} ${text}`)).toEqual([
      'B got the lock after 2.5 s in the queue. Token 7.',
      'A got the lock. Token 7.',
    ]);
  });

  it('forgets periods that ended more than a minute ago', () => {
    const record = new StageRecord();
    record.heard('A', granted(0));
    record.heard('A', ended('released', 2_000));
    record.heard('A', granted(63_000));
    expect(record.periods).toEqual([{ replica: 'A', kind: 'held', from: 63_000 }]);
  });

  it('says when a replica that was cut off was told, and when the other one got the lock', () => {
    const record = failing('cut');
    record.heard('A', ended('lost', 4_800));
    record.heard('B', granted(6_100));
    expect(verdictsOf(record)).toEqual([
      'A was told 2.8 s after the cut that the lock was lost. B got it 1.3 s later. At no time did both hold it.',
    ]);
    record.restored('A', 9_000, 'You give A its network back.');
    expect(record.periods).toEqual([
      { replica: 'A', kind: 'lost', from: 1_000, until: 4_800 },
      { replica: 'A', kind: 'cut off', from: 2_000, until: 9_000 },
      { replica: 'B', kind: 'held', from: 6_100 },
    ]);
  });

  it('counts from the cut if the replica is also stopped before it is told', () => {
    const record = failing('cut');
    record.acted('stop', 'A', 3_600);
    record.heard('A', ended('lost', 4_800));
    record.heard('B', granted(6_100));
    expect(verdictsOf(record)).toEqual([
      'A was told 2.8 s after the cut that the lock was lost. B got it 1.3 s later. At no time did both hold it.',
    ]);
  });

  it('says how long a killed replica blocks the lock', () => {
    const record = failing('kill');
    record.ended('A', 2_010);
    record.heard('B', granted(6_210));
    expect(verdictsOf(record)).toEqual([
      'B got the lock 4.2 s after A was killed: ZooKeeper ended the session of A first.',
    ]);
    expect(record.periods.at(1)).toEqual({ replica: 'A', kind: 'ended', from: 2_010 });
  });

  it('says how soon a stopped replica hands over', () => {
    const record = failing('stop');
    record.heard('A', ended('released', 3_000));
    record.heard('B', granted(3_012));
    record.ended('A', 3_500);
    expect(verdictsOf(record)).toEqual([
      'A finished its audit and released the lock. B got it 0.01 s later.',
    ]);
  });

  it('does not hide that two replicas held the lock', () => {
    const record = failing('cut');
    record.heard('B', granted(6_100));
    record.heard('A', ended('lost', 6_200));
    expect(verdictsOf(record)).toEqual(['B got the lock, but A was not told that it had lost it!']);
  });
});
