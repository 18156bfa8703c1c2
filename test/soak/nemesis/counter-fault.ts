import { LockDirectoryError } from 'nestjs-zk-lock';
import { waitFor } from '../../support/wait-for.js';
import { KEYS, ROOT, type Stage } from '../stage/stage.js';
import { WITHOUT_DOWNGRADES, type Fault } from './fault.js';

const LAST = 2_147_483_647;

/** All contenders went with their sessions, and the new directory counts from 0. */
const madeAgain = new WeakSet<Stage>();

/** A key has been taken two thousand million times. Its calls are refused until an operator acts. */
export const COUNTER_FAULT: Fault = {
  name: 'sequence counter at its end',
  lasts: [2, 3],
  stopsAll: true,
  needs: ({ dialect }) => dialect !== 'single-node',
  workloadOf: () => WITHOUT_DOWNGRADES,
  inflict: async (stage, random) => {
    await random.pick(stage.replicas).process.cling(2 * stage.sessionTimeoutMs);
    const key = await longestQueue(stage);
    const drained = stage.expectError(LockDirectoryError.code, key);
    const createdAt = await stage.onlooker.createdAt(key);
    madeAgain.delete(stage);
    await stage.ensemble.servers.setNextSequence(`${ROOT}/${key}`, LAST - random.between(0, 20));
    return async () => {
      if ((await stage.onlooker.createdAt(key)) !== createdAt) madeAgain.add(stage);
      await drain(stage, key);
      drained();
      await stage.run(() => WITHOUT_DOWNGRADES);
    };
  },
  examine: async (stage, { waits, expectedErrors: [expected] }) => {
    const isRefusal = ({ answer }: (typeof waits)[number]): boolean =>
      answer?.outcome === LockDirectoryError.code;
    if (madeAgain.has(stage) || waits.some(isRefusal)) return [];
    const message = `no call was told that the counter of "${String(expected?.key)}" is at its end`;
    return [{ promise: 'errors', message, kinds: [] }];
  },
};

async function longestQueue(stage: Stage): Promise<string> {
  const queues = await Promise.all(
    KEYS.map(async (key) => ({ key, length: (await stage.onlooker.contenders(key)).length })),
  );
  const [longest] = queues.toSorted((one, other) => other.length - one.length);
  return longest?.key ?? '';
}

/** As docs/operating.md says: no process takes the key, its holders release it, and the directory is removed. */
async function drain(stage: Stage, key: string): Promise<void> {
  const { replicas, onlooker } = stage;
  await Promise.all(replicas.map(({ process }) => process.cling(0)));
  await stage.run(() => ({ ...WITHOUT_DOWNGRADES, keys: KEYS.filter((other) => other !== key) }));
  const isGone = async (): Promise<boolean> =>
    (await onlooker.deleteDirectory(key)) || !(await onlooker.tree()).includes(`${ROOT}/${key}`);
  // A node that is left otherwise is found when the stage is at rest.
  await waitFor(isGone, { what: `${key} to be drained`, timeoutMs: 30_000, intervalMs: 50 }).catch(
    () => undefined,
  );
}
