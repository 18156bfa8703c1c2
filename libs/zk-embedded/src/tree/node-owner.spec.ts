import { expect, it } from 'vitest';
import { ephemeralOwnerOf, UNOWNED } from './node-owner.js';

it.each([
  { owner: UNOWNED, shown: 0n },
  { owner: { kind: 'session', sessionId: 7n }, shown: 7n },
  { owner: { kind: 'container' }, shown: 0n },
  { owner: { kind: 'ttl', ttlMs: 5 }, shown: 0n },
] as const)('of $owner.kind a stat shows $shown', ({ owner, shown }) => {
  expect(ephemeralOwnerOf(owner)).toBe(shown);
});
