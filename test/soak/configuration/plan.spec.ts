import { describe, expect, it } from 'vitest';
import { Random } from '../../workers/soak/random.js';
import { FAULTS } from '../nemesis/catalog.js';
import type { Fault } from '../nemesis/fault.js';
import { USUAL } from './configuration.js';
import { plan, type PlanOptions, type Stretch } from './plan.js';

function stretchesOf(count: number, options: Partial<PlanOptions> = {}): Stretch[] {
  const stretches = plan(new Random(5), { faults: FAULTS, ...options });
  return Array.from({ length: count }, () => stretches.next().value);
}

const needing = (needs: NonNullable<Fault['needs']>): Fault => ({
  ...{ name: 'rare', lasts: [0, 0], needs },
  inflict: () => Promise.reject(new Error('not met here')),
});

describe('plan', () => {
  it('makes the same choices for the same seed', () => {
    expect(stretchesOf(20)).toEqual(stretchesOf(20));
  });

  it('meets each fault once before any is met again', () => {
    const faults = stretchesOf(20).flatMap((stretch) => stretch.faults);
    expect(new Set(faults.slice(0, FAULTS.length)).size).toBe(FAULTS.length);
  });

  it('takes the clients in turn, or the one that is asked for', () => {
    const clients = stretchesOf(4).map(({ configuration }) => configuration.client);
    expect(clients).toEqual(['wire', 'native', 'wire', 'native']);
    const wire = stretchesOf(4, { client: 'wire' });
    expect(new Set(wire.map(({ configuration }) => configuration.client))).toEqual(
      new Set(['wire']),
    );
  });

  it('meets a fault only under configurations that it can be met under', () => {
    const rare = needing(({ tickTimeMs }) => tickTimeMs === 4_000);
    const stretches = stretchesOf(10, { faults: [rare] });
    expect(stretches.map(({ configuration }) => configuration.tickTimeMs)).toEqual(
      Array.from({ length: 10 }, () => 4_000),
    );
  });

  it('refuses one configuration that suits none of the faults', () => {
    const never = needing(() => false);
    expect(() => stretchesOf(1, { faults: [never], configuration: USUAL })).toThrow(/suits/);
  });
});
