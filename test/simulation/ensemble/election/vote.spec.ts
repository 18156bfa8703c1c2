import { describe, expect, it } from 'vitest';
import { isBetter, isSameVote, type Vote } from './vote.js';

describe('the better candidate', () => {
  it.each([
    { why: 'has the later epoch', one: [1, 5, 2], other: [3, 9, 1] },
    { why: 'has the higher zxid in the same epoch', one: [1, 7, 2], other: [3, 6, 2] },
    { why: 'has the higher number where all else is equal', one: [3, 7, 2], other: [1, 7, 2] },
  ])('$why', ({ one, other }) => {
    const [better, worse] = [one, other].map(([leader, zxid, epoch]) => ({
      leader: leader!,
      zxid: zxid!,
      epoch: epoch!,
    }));
    expect(isBetter(better!, worse!)).toBe(true);
    expect(isBetter(worse!, better!)).toBe(false);
    expect(isBetter(better!, better!)).toBe(false);
  });
});

describe('votes', () => {
  const vote: Vote = { leader: 1, zxid: 7, epoch: 2, round: 3, state: 'looking' };

  it.each([
    { differ: 'in the leader', other: { leader: 2 }, isSame: false },
    { differ: 'in the zxid', other: { zxid: 8 }, isSame: false },
    { differ: 'in the round', other: { round: 4 }, isSame: false },
    { differ: 'in nothing', other: {}, isSame: true },
  ])('of servers that look and differ $differ', ({ other, isSame }) => {
    expect(isSameVote(vote, { ...vote, ...other })).toBe(isSame);
  });

  it.each([
    { differ: 'in zxid and round', other: { zxid: 8, round: 4 }, isSame: true },
    { differ: 'in the epoch', other: { epoch: 3 }, isSame: false },
  ])('of servers that have a leader and differ $differ', ({ other, isSame }) => {
    const settled: Vote = { ...vote, state: 'leading' };
    expect(isSameVote(settled, { ...settled, state: 'following', ...other })).toBe(isSame);
  });
});
