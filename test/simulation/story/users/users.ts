import type { Locks } from 'zk-locks';
import type { Journal } from '../../../workers/soak/journal.js';
import { Random } from '../../../workers/soak/random.js';
import { Tasks } from '../../../workers/soak/tasks.js';
import type { ReplicaPlan } from '../../plan/plan.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { Scene } from '../scene.js';
import type { UserContext } from './user-call.js';
import { USER_TURNS, type UserKind } from './user-turns.js';

interface UserProcess {
  readonly process: SimulatedProcess;
  readonly plan: ReplicaPlan;
  readonly locks: Locks;
  readonly journal: Journal;
}

export class Users {
  readonly #context: UserContext;
  readonly #tasks: Tasks<UserKind, UserContext> | undefined;

  constructor({ ledger, keys }: Scene, { process, plan, locks, journal }: UserProcess) {
    const { client } = locks;
    this.#context = {
      ...{
        process: process.name,
        client,
        ledger,
        journal,
        mark: undefined,
        changes: 0,
        stops: new Set(),
      },
      directories: keys.map((key) => `/locks/${key}`),
      random: new Random(process.random.between(0, 0x7fff_ffff)),
    };
    const { users, usersIdleMs = plan.idleMs } = plan;
    if (!users) return;
    client.onState(() => this.#context.changes++);
    this.#tasks = new Tasks(USER_TURNS, this.#context, users, usersIdleMs);
    this.#tasks.run();
  }

  async pause(): Promise<void> {
    await this.#tasks?.pause();
  }

  async close(): Promise<void> {
    await this.#tasks?.close();
    this.stopWatches();
  }

  stopWatches(): void {
    for (const stop of this.#context.stops) stop();
  }
}
