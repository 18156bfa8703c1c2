import { describe, expect, it } from 'vitest';
import { MAX_EVERY_MS } from '../options/limits.js';
import { OPTIONS } from '../options/table.js';
import { parseRunRecord, type RunRecord, dueAfter } from './run-record.js';

const EVERY_MS = 60_000;
const at = (askedAt: number, epoch = 1) => ({ askedAt, epoch });

describe('a run is due', () => {
  it.each([
    ['when the time has passed by the leader’s clock', at(0), at(60_000), 0, true],
    ['a tenth earlier, for timers are not exact', at(0), at(54_000), 0, true],
    ['not before that', at(0), at(53_999), 0, false],
    ['when this process has seen the time pass', at(0), at(1), 54_000, true],
    ['by no difference of two leaders’ clocks', at(0), at(3_600_000, 2), 0, false],
    [
      'under the next leader when this process has seen the time pass',
      at(0),
      at(1, 2),
      60_000,
      true,
    ],
    ['not under a clock that was set back', at(3_600_000), at(60_000), 0, false],
  ] as const)('%s', (_, last, now, knownMs, isDue) => {
    expect(dueAfter(last, now, EVERY_MS, knownMs).isDue).toBe(isDue);
  });

  it('by the next leader’s clock from what this process has seen on', () => {
    const due = dueAfter(at(0), at(5_000_000, 2), EVERY_MS, 20_000);
    expect(due).toEqual({ isDue: false, moveTo: 4_980_000 });
    expect(dueAfter(at(4_980_000, 2), at(5_040_000, 2), EVERY_MS, 0).isDue).toBe(true);
  });
});

const record: RunRecord = {
  ...{ guid: 'g', host: 'h', pid: 1, application: undefined },
  ...{ askedAt: 2, epoch: 3, tookMs: 4, outcome: 'done', everyMs: 5 },
};
const parse = (value: unknown) => parseRunRecord(Buffer.from(JSON.stringify(value)));

it('reads what it writes, and nothing else', () => {
  expect(parse(record)).toEqual(record);
  expect(parse({ ...record, ranAt: 1 })).toEqual({ ...record, ranAt: 1 });
  expect(parse({ ...record, ranAt: '1' })).toBeUndefined();
  expect(parse({ ...record, ranAt: 1e300 })).toBeUndefined();
  expect(parse({ ...record, ranAt: null, tookMs: null })).toEqual({ ...record, tookMs: undefined });
  expect(parse({ ...record, askedAt: '2' })).toBeUndefined();
  expect(parse({ ...record, outcome: 'none' })).toBeUndefined();
  expect(parse({ ...record, everyMs: undefined })).toBeUndefined();
  expect(parse({ ...record, everyMs: 1e300 })).toBeUndefined();
  expect(parse({ ...record, host: 'h'.repeat(256) })).toBeUndefined();
  expect(parse('text')).toBeUndefined();
  expect(parseRunRecord(Buffer.from('{'))).toBeUndefined();
});

it.each([60_000, MAX_EVERY_MS, MAX_EVERY_MS + 1, Number.MAX_SAFE_INTEGER])(
  'reads a record of each interval that a job can have: %d ms',
  (everyMs) => {
    const isReadable = parse({ ...record, askedAt: Date.now(), everyMs }) !== undefined;
    expect(isReadable || !OPTIONS.atMostEveryMs.accepts(everyMs)).toBe(true);
  },
);
