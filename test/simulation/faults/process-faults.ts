import { type Fault, pick } from './fault.js';

/** Faults of the application's processes. */
export const processFaults = {
  'process stopped': (stage, { target, ms }) => {
    const replica = pick(stage.replicas, target)?.current;
    if (!replica) return;
    replica.process.stop();
    stage.untilHealed(ms, () => replica.process.continue());
  },

  /** Stops the process in the middle of a turn of its event loop. */
  'event loop hung': (stage, { target, ms, choices: [callbacks = 0] }) => {
    const { process } = pick(stage.replicas, target)!.current;
    process.hangAfter(callbacks % 12, ms);
  },

  'process killed': (stage, { target, ms }) => {
    const replica = pick(stage.replicas, target);
    if (!replica || replica.current.process.isDead) return;
    stage.kill(replica);
    stage.untilHealed(ms, () => stage.replace(replica));
  },

  'wall clock stepped': (stage, { target, choices: [step = 0, direction = 0] }) => {
    const { process, journal } = pick(stage.replicas, target)!.current;
    const ms = direction < 500 ? step * 10 : -step * 10;
    process.stepWall(ms);
    if (ms > 0) journal.note({ type: 'set-forward', ms, at: stage.world.now });
  },

  /** Lets holders stay, so that other faults affect them. */
  'holders stay': (stage, { target, ms }) => pick(stage.replicas, target)?.current.cling(ms),
} as const satisfies Record<string, Fault>;
