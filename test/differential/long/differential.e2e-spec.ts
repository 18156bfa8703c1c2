import fc from 'fast-check';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SimulatedStage } from '../../simulation/ensemble/testing/simulated-stage.js';
import { uniqueRoot } from '../../support/shared-server.js';
import { differences } from '../compare.js';
import { play } from '../play.js';
import { program } from '../programs.js';
import { PortStage, RealStage } from '../real-stage.js';
import { readRecordings } from '../recording.js';
import { ALONE } from '../scripts/alone.js';

/** The programs are the same in each run unless the seed is set. */
const seed = Number(process.env.ZK_DIFFERENTIAL_SEED ?? 20_220_307);
const numRuns = Number(process.env.ZK_DIFFERENTIAL_RUNS ?? 60);

/** No event may occur in between, not even the removal of a container. */
const never = 10_000_000;

let real: RealStage;
let ours: EmbeddedZooKeeper;
const simulated = new SimulatedStage(
  { voters: 1, maxSessionTimeoutMs: 40_000, containerCheckMs: never },
  1,
);

beforeAll(async () => {
  real = await RealStage.open({ servers: 1, tickTimeMs: 500, containerCheckIntervalMs: never });
  ours = await EmbeddedZooKeeper.start({
    maxSessionTimeoutMs: 40_000,
    containerCheckIntervalMs: never,
    maxClientConnections: 0,
  });
});

afterAll(async () => {
  await ours.stop();
  await real[Symbol.asyncDispose]();
});

describe('random programs', () => {
  it(`get the same answers from a real server, the embedded and a simulated one (seed ${seed}, ${numRuns} programs)`, async () => {
    const property = fc.asyncProperty(program, async (steps) => {
      const [expected, embedded] = await Promise.all([
        play(real, uniqueRoot(), steps),
        play(new PortStage(ours.port), uniqueRoot(), steps),
      ]);
      expect(embedded).toEqual(expected);
      expect(await play(simulated, uniqueRoot(), steps)).toEqual(expected);
    });
    await fc.assert(property, { seed, numRuns });
  }, 3_600_000);
});

describe('what was recorded of this version is still true:', () => {
  const recordings = readRecordings();
  const scripts = ALONE.filter(({ setting }) => setting.maxFrameBytes === undefined);

  it.each(scripts)('$name', async ({ name, steps }) => {
    const version = await real.version();
    expect([...recordings.keys()]).toContain(version);
    const played = await play(real, uniqueRoot(), steps);
    const anyTime = { earlierMs: Infinity, laterMs: Infinity };
    expect(differences(recordings.get(version)?.[name] ?? [], played, anyTime)).toEqual([]);
  });
});
