import { expect, it } from 'vitest';
import { treeContender } from '../../../../test/support/tree-keys.js';
import { describeEvent } from './event-text.js';

it.each([
  ['a holder', true, 'lost it after 5.0 s: broken by ops on web-1 (pid 7)'],
  ['a waiter', false, 'lost its place after 5.0 s: broken by ops on web-1 (pid 7)'],
])('what an operator takes from %s is named', (_who, held, text) => {
  const brokenBy = { application: 'ops', host: 'web-1', pid: 7, at: '' };
  const event = { key: 'k', event: 'broken', at: 0, id: '1', waiting: 0, ms: 5_000 } as const;
  expect(describeEvent({ ...event, contender: treeContender(), held, brokenBy })).toBe(text);
});
