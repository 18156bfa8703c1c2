import fc from 'fast-check';
import { EmbeddedZooKeeper } from 'zk-embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uniqueRoot } from '../support/shared-server.js';
import { startServerOfKind, type TestServer } from '../support/test-server.js';
import { program } from './programs.js';
import { replay } from './replay.js';

/** The programs are the same in each run, unless the seed is set. */
const seed = Number(process.env.ZK_DIFFERENTIAL_SEED ?? 20_220_307);
const numRuns = Number(process.env.ZK_DIFFERENTIAL_RUNS ?? 300);

/** No event may come between, not even the removal of a container. */
const never = 0x7fff_ffff;

let real: TestServer;
let ours: EmbeddedZooKeeper;

beforeAll(async () => {
  real = await startServerOfKind('real', {
    containerCheckIntervalMs: never,
    systemProperties: { 'zookeeper.extendedTypesEnabled': 'true' },
  });
  ours = await EmbeddedZooKeeper.start({
    maxSessionTimeoutMs: 40_000,
    containerCheckIntervalMs: never,
    maxClientConnections: 0,
  });
});

afterAll(async () => {
  await ours.stop();
  await real.stop();
});

describe('random programs', () => {
  it(`get the same answers from both servers (seed ${seed}, ${numRuns} programs)`, async () => {
    const property = fc.asyncProperty(program, async (steps) => {
      const [expected, actual] = await Promise.all([
        replay(real.port, uniqueRoot(), steps),
        replay(ours.port, uniqueRoot(), steps),
      ]);
      expect(actual).toEqual(expected);
    });
    await fc.assert(property, { seed, numRuns });
  }, 3_600_000);
});
