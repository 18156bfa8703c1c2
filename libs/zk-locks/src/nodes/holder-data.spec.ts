import { describe, expect, it } from 'vitest';
import {
  amendData,
  newNesting,
  ownHolderData,
  parseHolderData,
  requestIn,
  revokeRequest,
} from './holder-data.js';

it.each([
  ['nothing', ''],
  ["Curator's address", '192.168.7.1'],
  ['half of a text', '{"host":"a","pid":'],
  ['null', 'null'],
  ['a number', '7'],
  ['other fields', '{"owner":"a"}'],
  ['fields of other types', '{"host":1,"pid":"2","since":3}'],
  ['bytes that are no text', '\u0000\u00ff'],
])('ignores data that is %s', (_what, text) => {
  expect(parseHolderData(Buffer.from(text, 'latin1'))).toBeUndefined();
});

it('ignores the label of a node that serves several calls, because it belongs to one of them', () => {
  const about = { host: 'a', pid: 2, since: 'x', cohort: true };
  const data = Buffer.from(JSON.stringify({ ...about, label: 'ship it' }));
  expect(parseHolderData(data)).toEqual(about);
});

it('lists the locks around the call, innermost first, up to eight nodes and 2 KB', () => {
  const nodes = Array.from({ length: 12 }, (_, index) => `/locks/k${index}/n`);
  const { holds } = newNesting('/locks', nodes);
  expect(holds).toEqual(nodes.slice(0, 8).map((path) => path.slice('/locks/'.length)));
  expect(parseHolderData(Buffer.from(ownHolderData('a', 'b', { holds })))).toHaveProperty(
    'holds',
    holds,
  );
  const long = Array.from({ length: 8 }, (_, index) => `/locks/${'"'.repeat(400)}${index}/n`);
  expect(newNesting('/locks', long).holds).toHaveLength(2);
});

it.each(['a/b', ['a'], ['a/b/c'], [7], ['/b'], Array.from({ length: 9 }, () => 'a/b')])(
  'makes no assumptions about data of others: %j',
  (holds) => {
    const data = Buffer.from(JSON.stringify({ host: 'a', pid: 2, since: 'x', holds }));
    expect(parseHolderData(data)).toEqual({ host: 'a', pid: 2, since: 'x' });
  },
);

describe('what others write into the node of a holder', () => {
  const own = Buffer.from('{"host":"a","pid":2,"since":"x"}');
  const by = { host: 'b', pid: 3, application: 'ops', at: 'y' };

  it('asks for the lock, or takes it away', () => {
    expect(requestIn(own)).toBeUndefined();
    expect(requestIn(Buffer.from('__REVOKE__'))).toBe('revoke');
    const asked = revokeRequest('lock', { data: own, stat: { ephemeralOwner: '7' } })!;
    expect(requestIn(asked)).toBe('revoke');
    const broken = Buffer.from(amendData(asked, { brokenBy: by }));
    expect(requestIn(broken)).toEqual(by);
    expect(parseHolderData(broken)).toMatchObject({ host: 'a', brokenBy: by });
  });

  it.each(['"b"', 'null', '{"host":1,"pid":2,"at":"x"}', '{"host":"b","pid":2}'])(
    'takes nothing away by %s',
    (brokenBy) => {
      const data = Buffer.from(`{"host":"a","pid":2,"since":"x","brokenBy":${brokenBy}}`);
      expect(requestIn(data)).toBeUndefined();
    },
  );
});

it('writes no more than it reads, whatever is in it', () => {
  const worst = '\u0000'.repeat(200);
  const holds = Array.from({ length: 8 }, (_, index) => `${'k'.repeat(200)}${index}/n`);
  const written = ownHolderData(worst, worst, { holds });
  const twin = amendData(written, { token: String(2n ** 63n) });
  const brokenBy = {
    host: 'h'.repeat(255),
    pid: 2 ** 31,
    application: worst,
    at: new Date().toISOString(),
  };
  const broken = Buffer.from(amendData(twin, { brokenBy }));
  for (const data of [written, twin, broken]) {
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(4_096);
    expect(parseHolderData(Buffer.from(data))).toHaveProperty('pid', process.pid);
  }
  expect(requestIn(broken)).toEqual(brokenBy);
});

it('accepts no text that is longer than ours', () => {
  const long = 'x'.repeat(256);
  const ours = { host: 'h', pid: 1, since: '2026-01-01T00:00:00.000Z' };
  const parse = (more: object): unknown =>
    parseHolderData(Buffer.from(JSON.stringify({ ...ours, ...more })));
  expect(parse({ host: long })).toBeUndefined();
  expect(parse({ since: long })).toBeUndefined();
  expect(parse({ label: long, application: long, revokedAt: long })).toEqual(ours);
});
