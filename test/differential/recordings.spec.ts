import { readFileSync } from 'node:fs';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { afterAll, describe, expect, it } from 'vitest';
import { SimulatedStage } from '../simulation/ensemble/testing/simulated-stage.js';
import { differences } from './compare.js';
import { KNOWN_DIFFERENCES } from './known-differences.js';
import { play } from './play.js';
import { PortStage } from './real-stage.js';
import { readRecordings, RECORDINGS_FILE, writeRecordings } from './recording.js';
import { kills, type Script, type Setting, takesTime } from './script.js';
import { SCRIPTS } from './scripts/index.js';

/** The seeds of the simulated world's randomness. */
const SEEDS = [1, 2, 3];

function simulated(setting: Setting, seed: number): SimulatedStage {
  const { servers, containerCheckIntervalMs, observerMaster, ...others } = setting;
  const voters = servers === 1 ? 1 : 3;
  const observers = servers !== 4 ? 'none' : observerMaster ? 'of a follower' : 'of the leader';
  const defaults = { maxSessionTimeoutMs: 40_000, containerCheckMs: containerCheckIntervalMs };
  return new SimulatedStage({ voters, observers, ...defaults, ...others }, seed);
}

const recordings = readRecordings();

it('writes recordings exactly as it reads them', () => {
  expect(writeRecordings(recordings)).toBe(readFileSync(RECORDINGS_FILE, 'utf8'));
});

describe.each([...recordings])(
  'simulated servers behave as those of ZooKeeper %s',
  (version, recording) => {
    it.each(SCRIPTS)('$name', async ({ name, setting, steps, ticks }) => {
      const known = KNOWN_DIFFERENCES.find(
        ({ script, versions }) => script === name && versions.includes(version),
      );
      const expected = known?.steps ?? [];
      for (const seed of SEEDS) {
        const played = await play(simulated(setting, seed), '/script', steps);
        const toleranceMs = ticks * setting.tickTimeMs;
        const tolerance = { earlierMs: toleranceMs, laterMs: toleranceMs };
        const found = differences(recording[name] ?? [], played, tolerance);
        expect(found.filter(({ step }) => !expected.includes(step))).toEqual([]);
        expect(found.map(({ step }) => step)).toEqual(expected);
      }
    });
  },
);

describe('the embedded server behaves as that of ZooKeeper 3.8.0', () => {
  const recording = recordings.get('3.8.0')!;
  const scripts = SCRIPTS.filter((one) => one.setting.servers === 1 && !kills(one));
  const servers = new Map<string, EmbeddedZooKeeper>();
  afterAll(() => Promise.all([...servers.values()].map((server) => server.stop())));

  async function expectAlike(server: EmbeddedZooKeeper, script: Script): Promise<void> {
    const root = `/script-${scripts.indexOf(script)}`;
    const played = await play(new PortStage(server.port), root, script.steps);
    // A busy machine can delay messages, but never makes them early.
    const tolerance = { earlierMs: script.ticks * script.setting.tickTimeMs, laterMs: Infinity };
    expect(differences(recording[script.name] ?? [], played, tolerance)).toEqual([]);
  }

  it.each(scripts.filter((one) => !takesTime(one)))('$name', async (script) => {
    const key = JSON.stringify(script.setting);
    const server = servers.get(key) ?? (await embedded(script.setting));
    servers.set(key, server);
    await expectAlike(server, script);
  });

  it.concurrent.each(scripts.filter(takesTime))('$name', async (script) => {
    await using server = await embedded(script.setting);
    await expectAlike(server, script);
  });
});

function embedded({ servers: _, maxFrameBytes, ...options }: Setting): Promise<EmbeddedZooKeeper> {
  return EmbeddedZooKeeper.start({
    ...{ maxSessionTimeoutMs: 40_000, maxClientConnections: 0, ...options },
    ...(maxFrameBytes === undefined ? {} : { maxBufferBytes: maxFrameBytes }),
  });
}

it('all known differences are about a script', () => {
  const names = SCRIPTS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(KNOWN_DIFFERENCES.map(({ script }) => script)));
  expect(new Set(names).size).toBe(names.length);
});
