import { describe, expect, it } from 'vitest';
import { SimulatedStage } from '../simulation/ensemble/testing/simulated-stage.js';
import { differences } from './compare.js';
import { KNOWN_DIFFERENCES } from './known-differences.js';
import { play } from './play.js';
import { readRecording, VERSIONS } from './recording.js';
import type { Setting } from './script.js';
import { SCRIPTS } from './scripts/index.js';

function simulated(setting: Setting): SimulatedStage {
  const { servers, containerCheckIntervalMs, observerMaster, ...others } = setting;
  const counts = { voters: servers === 1 ? 1 : 3, observerCount: servers === 4 ? 1 : 0 };
  const observers = servers !== 4 ? 'none' : observerMaster ? 'of a follower' : 'of the leader';
  const defaults = { maxSessionTimeoutMs: 40_000, containerCheckMs: containerCheckIntervalMs };
  return new SimulatedStage({ ...counts, observers, ...defaults, ...others }, 1);
}

describe.each(VERSIONS)('simulated servers behave as those of ZooKeeper %s', (version) => {
  const recording = readRecording(version);

  it.each(SCRIPTS)('$name', async ({ name, setting, steps, ticks }) => {
    const played = await play(simulated(setting), '/script', steps);
    const found = differences(recording[name] ?? [], played, ticks * setting.tickTimeMs);
    const known = KNOWN_DIFFERENCES.find(
      ({ script, versions }) => script === name && versions.includes(version),
    );
    const expected = known?.steps ?? [];
    expect(found.filter(({ step }) => !expected.includes(step))).toEqual([]);
    expect(found.map(({ step }) => step)).toEqual(expected);
  });
});

it('all known differences are about a script', () => {
  const names = SCRIPTS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(KNOWN_DIFFERENCES.map(({ script }) => script)));
  expect(new Set(names).size).toBe(names.length);
});
