import { setImmediate as nextTurn } from 'node:timers/promises';
import timers from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replaceBuiltin } from '../support/replace-builtin.js';
import { World } from './key-queue-world.js';
import { MODEL_CLIENTS } from './model-requests.js';

/** Pauses before retries are short, but those before a refused deletion never end. */
const pause = (async (ms = 0, _value?: unknown, { signal }: { signal?: AbortSignal } = {}) => {
  if (ms <= 1_000) return;
  await new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}) as typeof timers.setTimeout;
replaceBuiltin(timers, 'setTimeout', pause);

const RUNS = Number(process.env.MODEL_RUNS ?? 600);

/** Runs until all work is waiting for the server. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i++) await nextTurn();
}

type Story = [step: string, pick: number][];

const OFTEN =
  'weAsk weHear serverExecutes weRelease allIsAnswered othersTryToUpgrade weUpgrade weAskForReading';
const UPGRADES = `${OFTEN} weUpgrade weUpgrade weUpgrade weReleaseAnother weReleaseAnother weGiveUpUpgrade
  weAskForReading weAskForReading weGiveUp weDowngrade allIsAnswered allIsAnswered weHear serverExecutes
  othersQueueUp othersLeave holderLeaves listIsThrottled`;

const UPGRADING: Story = [
  ['weAskForReading', 0],
  ...Array<Story[number]>(4).fill(['allIsAnswered', 0]),
  ['weUpgrade', 0],
];

const OTHERS = `weAsk weAskForReading weGiveUp weRelease weRelease othersQueueUp othersQueueUp othersLeave
  holderLeaves holderLeaves holderLeaves othersDowngrade othersDowngrade downgradeIsDone downgradeIsDone
  othersTryToUpgrade upgradeIsDecided
  allIsAnswered allIsAnswered allIsAnswered serverExecutes weHear`;

const BEHIND_ANOTHER_LIBRARY: Story = [
  ['othersQueueUp', 1],
  ['weAsk', 1],
  ...Array<Story[number]>(3).fill(['allIsAnswered', 0]),
];
const BEHIND_ANOTHER_PROCESS: Story = [
  ['othersQueueUp', 4],
  ['weAsk', 1],
  ['allIsAnswered', 0],
  ['othersDowngrade', 0],
  // At this point our watch is set.
  ['allIsAnswered', 0],
  ['downgradeIsDone', 0],
  ['allIsAnswered', 0],
];

const ALL = Object.keys(new World(true).steps);
const words = (text: string): string[] => text.split(/\s+/);

it.each<[string, boolean, string[], Story]>([
  ['with readers', true, [...ALL, ...words(OFTEN)], []],
  ['with an upgrade of ours', true, words(UPGRADES), UPGRADING],
  ['behind another library', true, words(OTHERS), BEHIND_ANOTHER_LIBRARY],
  ['behind another process', true, words(OTHERS), BEHIND_ANOTHER_PROCESS],
  ['without readers', false, [...ALL, ...words(OFTEN)], []],
])(
  'in any history, %s, the queue of a key never grants a lock beside a holder, and eventually grants every call its lock',
  async (_, hasReaders, names, start) => {
    const step = fc.tuple(fc.constantFrom(...names), fc.nat(20));
    const story = fc.array(step, { minLength: 10, maxLength: 80, size: 'max' });
    const done = { grants: 0, upgrades: 0, shared: 0 };
    await fc.assert(
      fc.asyncProperty(story, fc.constantFrom(...MODEL_CLIENTS), async (steps, client) => {
        const world = new World(hasReaders, client);
        try {
          for (const [name, pick] of [...start, ...steps]) {
            world.steps[name]!(pick);
            await turn();
            world.check();
            if (world.broken.length > 0) break;
          }
          if (!world.wasRefused && world.broken.length === 0) await world.rest(turn);
          expect(world.broken).toEqual([]);
        } finally {
          world.stop();
          await turn();
        }
        done.grants += world.grants;
        done.upgrades += world.upgrades;
        done.shared += world.server.shared;
      }),
      { numRuns: RUNS },
    );
    // Ensures that the histories have tested something.
    expect(done.grants).toBeGreaterThan(RUNS);
    expect(done.shared).toBeGreaterThan(RUNS / 10);
    if (start === UPGRADING) expect(done.upgrades).toBeGreaterThan(RUNS / 10);
  },
  60_000 + RUNS * 30,
);

it.each(MODEL_CLIENTS)(
  'a call queues up again whenever the lease ends after the answers (%s)',
  async (client) => {
    for (let rounds = 0; rounds < 4; rounds++) {
      for (let microtasks = 0; microtasks < 30; microtasks++) {
        const world = new World(false, client);
        world.steps.weAsk!(1);
        for (let round = 0; round <= rounds; round++) {
          await turn();
          world.steps.allIsAnswered!(0);
        }
        for (let i = 0; i < microtasks; i++) await Promise.resolve();
        world.server.endLease();
        await turn();
        world.check();
        await world.rest(turn);
        expect(world.broken).toEqual([]);
        expect(world.grants).toBeGreaterThan(0);
        world.stop();
      }
    }
  },
);
