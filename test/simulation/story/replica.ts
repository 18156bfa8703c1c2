import { Locks } from 'zk-locks';
import { Random } from '../../workers/soak/random.js';
import type { Section } from '../../workers/soak/section.js';
import { Tasks } from '../../workers/soak/tasks.js';
import { TURNS, type TurnContext } from '../../workers/soak/turns.js';
import type { JournalEntry, LockKind } from '../../workers/soak/protocol.js';
import type { ReplicaPlan } from '../plan/plan.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import { MemoryJournal } from './memory-journal.js';
import { countPromises, type OpenPromises } from './open-promises.js';
import { BEGINNING_MS, describeError, GUARDED, type Scene } from './scene.js';
import { Users } from './users/users.js';

/** A process of the application, with locks and the tasks that compete for them. */
export class SimulatedReplica {
  readonly process: SimulatedProcess;
  readonly journal: MemoryJournal;
  readonly locks: Locks;
  readonly #tasks: Tasks<LockKind, TurnContext>;
  readonly #users: Users;
  readonly #lastingWatches: (() => void)[] = [];
  readonly #context: TurnContext;
  /** The unsettled promises of its tasks' calls. */
  readonly open: OpenPromises = new Map();
  /** Whether its locks have been closed. */
  hasClosed = false;
  isIdle = false;

  constructor(
    scene: Scene,
    readonly plan: ReplicaPlan,
    /** The number of this process among those of its replica, from 1. */
    readonly start: number,
    pid: number,
  ) {
    const { world, resource, connectString, keys } = scene;
    const name = `${plan.name}.${start}`;
    this.process = new SimulatedProcess(
      world,
      {
        ...{ name, pid, host: `10.2.0.${plan.name}`, rate: plan.rate, clockMs: plan.clockMs },
        wallMs: BEGINNING_MS + plan.aheadMs,
      },
      (error) => scene.report('errors', `${name} threw ${describeError(error)}`),
    );
    this.journal = new MemoryJournal((entry) => {
      scene.noting(name)(entry);
      scene.onEntry(plan.name, entry);
    });
    let made!: readonly [Locks, TurnContext, Tasks<LockKind, TurnContext>, Users];
    this.process.run(() => {
      const locks = new Locks({
        ...plan.options,
        servers: connectString,
        application: plan.name,
        client: 'wire',
        root: '/locks',
        marginMs: plan.marginMs,
      });
      const counted = plan.countsPromises ? countPromises(locks, this.open) : locks;
      const context: TurnContext = {
        ...{
          locks: counted,
          journal: this.journal,
          resource: resource.clientOf(this.process),
          keys,
        },
        ...{
          marginMs: plan.marginMs,
          stepMs: plan.stepMs,
          guarded: GUARDED,
          ...(plan.guardedPercent !== undefined && { guardedPercent: plan.guardedPercent }),
          ...(plan.everyMs && { everyMs: plan.everyMs }),
          clingUntil: 0,
        },
        stalls: { look: () => {} },
        isFair: plan.options.dialect !== 'single-node',
        random: new Random(this.process.random.between(0, 0x7fff_ffff)),
        inside: new Set<Section>(),
      };
      const users = new Users(scene, {
        process: this.process,
        plan,
        locks: counted,
        journal: this.journal,
      });
      made = [locks, context, new Tasks(TURNS, context, plan.tasks, plan.idleMs), users];
      void locks.start({ wait: false });
      made[2].run();
    });
    [this.locks, this.#context, this.#tasks, this.#users] = made;
  }

  get name(): string {
    return this.process.name;
  }

  /** Lets each task end its turn, and starts no further turns. */
  pause(): void {
    this.process.post(() => {
      this.#context.clingUntil = 0;
      const paused = Promise.all([this.#tasks.pause(), this.#users.pause()]);
      void paused.then(() => (this.isIdle = true));
    });
  }

  close(): void {
    this.process.post(() => {
      void Promise.all([this.#tasks.close(), this.#users.close()])
        .then(() => this.locks.close())
        .then(() => (this.hasClosed = true));
    });
  }

  /** The key that an entry of its journal concerns. */
  keyOf(entry: JournalEntry): string | undefined {
    if ('key' in entry) return entry.key;
    if (!('grant' in entry)) return undefined;
    const { grant } = entry;
    const entrance = this.journal.entries.findLast(
      (one) => one.type === 'entered' && one.grant === grant,
    );
    return entrance && this.keyOf(entrance);
  }

  /**
   * Watches a directory of locks, as a user of `ZkClient` may. Without `ms`, the watch lasts until
   * the end of the story.
   */
  watchDirectory(
    key: string,
    { recursive, ms }: { readonly recursive: boolean; readonly ms: number | undefined },
  ): void {
    this.process.post(() => {
      const stop = this.locks.client.onChange(`/locks/${key}`, () => {}, { recursive });
      if (ms === undefined) this.#lastingWatches.push(stop);
      else setTimeout(stop, ms).unref();
    });
  }

  stopWatches(): void {
    this.process.post(() => {
      this.#users.stopWatches();
      for (const stop of this.#lastingWatches.splice(0)) stop();
    });
  }

  /** The host of the server to which its session is connected. */
  get server(): string | undefined {
    const { connectedTo, state } = this.locks.session.snapshot;
    return state.name === 'connected' ? connectedTo?.replace(/:\d+$/, '') : undefined;
  }

  /** Makes holders keep their locks for a while. */
  cling(ms: number): void {
    this.#context.clingUntil = this.process.world.now + ms;
  }
}
