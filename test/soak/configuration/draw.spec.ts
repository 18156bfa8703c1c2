import { describe, expect, it } from 'vitest';
import { Random } from '../../workers/soak/random.js';
import { fits, grantedTimeoutMs, marginOf, reportTickMs, USUAL } from './configuration.js';
import { drawConfiguration } from './draw.js';

const drawn = Array.from({ length: 500 }, (_, seed) =>
  drawConfiguration(new Random(seed), seed % 2 === 0 ? 'native' : 'wire'),
);

describe('drawConfiguration', () => {
  it.each([
    ['sessions below two ticks', (c) => grantedTimeoutMs(c) < 2 * c.tickTimeMs],
    ['a lowest limit below two ticks', (c) => c.minSessionTimeoutMs < 2 * c.tickTimeMs],
    ['less than replicas ask for', (c) => grantedTimeoutMs(c) < c.sessionTimeoutMs],
    ['more than replicas ask for', (c) => grantedTimeoutMs(c) > c.sessionTimeoutMs],
    ['an observer of the leader', (c) => c.observer === 'of the leader'],
    ['an observer of a follower', (c) => c.observer === 'of a follower'],
    ['local sessions', (c) => c.localSessions],
    ['servers that can be reconfigured', (c) => c.reconfigurable],
    ['locks that are kept', (c) => c.cohorts && c.keepMs > 0],
    ['the longest tick', (c) => c.tickTimeMs === 4_000],
    ['locks of one node', (c) => c.dialect === 'single-node'],
    ['sessions without room for a margin', (c) => marginOf(c) === 0],
    ['sessions with room for a margin', (c) => marginOf(c) > 100],
  ] satisfies [string, (configuration: typeof USUAL) => boolean][])('draws %s', (_, has) => {
    expect(drawn.filter(has).length).toBeGreaterThan(10);
  });

  it('draws only sessions by which locks can be held', () => {
    for (const one of [USUAL, ...drawn]) {
      expect(fits(grantedTimeoutMs(one), reportTickMs(one)), JSON.stringify(one)).toBe(true);
    }
  });
});
