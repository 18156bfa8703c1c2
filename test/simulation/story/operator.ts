import { type LockNode, lockNodeFrom, lockNodeOf } from '../../soak/history/lock-node.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BreakOptions, Locks } from 'zk-locks';
import { type BreakEvent, onLockEvents } from 'zk-locks/events';
import { MAX_GRANTS } from '../../../libs/zk-locks/src/nodes/fencing-token.js';
import { parseHolderData } from '../../../libs/zk-locks/src/nodes/holder-data.js';
import { isLockNode } from '../../soak/stage/lock-node.js';
import { CHAIR } from '../../workers/soak/protocol.js';
import type { Break, Clearing, Deletion } from '../../soak/history/history.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import { BEGINNING_MS, describeError, GUARDED, type Scene } from './scene.js';
import { COUNTERS, PAIR, USERS } from './users/paths.js';

/**
 * Errors that an operator may get when a lock is gone, no server is available, or the story ends.
 */
const EXPECTED = [
  ...['LOCK_NOT_BROKEN', 'LOCK_ABORTED', 'ZK_CLOSED'],
  ...['ZK_UNAVAILABLE', 'ZK_CONNECTION_LOSS', 'ZK_SESSION_EXPIRED', 'ZK_NO_NODE'],
  ...['ZK_OPERATION_TIMEOUT', 'ZK_NOT_EMPTY'],
];

/** How an operator breaks a lock. */
export interface Breaking {
  /**
   * `a mistake` combines the holder's node with the token of a waiter or of an earlier contender.
   * @default 'holder'
   */
  readonly whom?: 'holder' | 'waiter' | 'a mistake';
  /** The time between the operator's inspection and the break, in milliseconds. @default 0 */
  readonly thinksMs?: number;
  /** Called when the attempt to break the lock has ended. */
  readonly onDone?: () => void;
}

/** How often the operator tries to delete a directory in which contenders create nodes. */
const MOST_TRIES = 5;

/** Ignores the error with this code, and rethrows others. */
function unless(expected: string): (error: unknown) => void {
  return (error) => {
    if ((error as { code?: string }).code !== expected) throw error;
  };
}

/** Orders names by the ten digits at their end. */
function byNumber(one: string, other: string): number {
  return one.slice(-10).localeCompare(other.slice(-10));
}

/** A node that an operator deleted or broke. */
export interface Taking extends Required<Pick<Deletion, 'key' | 'answeredAt'>> {
  readonly node?: LockNode | undefined;
  /** Whether `breakLock` was used, which gives the process time to release the lock itself. */
  readonly isBreak: boolean;
}

/** An operator's process. No fault affects it. */
export class Operator {
  readonly deletions: Deletion[] = [];
  readonly clearings: Clearing[] = [];
  readonly breaks: Break[] = [];
  /** The contenders whose locks the operator has tried to break. */
  readonly named: { readonly key: string; readonly node: LockNode }[] = [];
  /** All nodes that were deleted or broken, with the times of the answers. */
  readonly takings: Taking[] = [];
  readonly process: SimulatedProcess;
  hasBegun = false;
  hasClosed = false;
  #locks!: Locks;
  /** This client has another root, because a client may not write below its own. */
  #znodes!: Locks;

  constructor(private readonly scene: Scene) {
    const { world, connectString } = scene;
    this.process = new SimulatedProcess(
      world,
      {
        ...{ name: 'operator', pid: 99, host: '10.3.0.1' },
        ...{ rate: 1, clockMs: 1_000, wallMs: BEGINNING_MS },
      },
      (error) => scene.report('errors', `the operator got ${describeError(error)}`),
    );
    this.process.run(() => {
      const options = { servers: connectString, root: '/locks', client: 'wire' } as const;
      this.#locks = new Locks({ ...options, sessionTimeoutMs: 10_000, dialect: scene.dialect });
      this.#znodes = new Locks({ ...options, root: '/operator' });
      void this.#begin();
    });
  }

  /** Breaks a holder's lock or evicts a waiter. */
  breakLock(
    key: string,
    { whom = 'holder', thinksMs = 0, onDone = () => {} }: Breaking = {},
  ): void {
    const act = async (): Promise<void> => {
      const { holders, waiters } = await this.#locks.inspect(key);
      const [contender] = whom === 'waiter' ? waiters : holders;
      if (!contender) return;
      if (thinksMs > 0) await sleep(thinksMs);
      if (whom === 'a mistake') {
        const earlier = contender.fencingToken - BigInt(MAX_GRANTS);
        const token = waiters[0]?.fencingToken ?? earlier;
        await this.#locks.breakLock(key, { node: contender.node, token });
        return;
      }
      const { fencingToken: token, node: name } = contender;
      const { world } = this.scene;
      const node = lockNodeOf(contender);
      const taking = { key, node, replica: contender.holder?.application, at: world.now };
      this.named.push({ key, node });
      world.note(`operator breaks ${key} ${token}`);
      const isForced = await this.#break(key, { token, node: name }, taking);
      const answeredAt = world.now;
      this.takings.push({ ...taking, answeredAt, isBreak: true });
      if (!isForced) this.breaks.push({ key, node, answeredAt });
      world.note(`operator has broken ${key} ${token}${isForced ? ' by force' : ''}`);
    };
    this.#act(`break ${key}`, () => act().finally(onDone));
  }

  /** Returns whether the node was deleted because its process did not release it. */
  async #break(key: string, options: BreakOptions, taking: Deletion): Promise<boolean> {
    const told: BreakEvent[] = [];
    // If the process does not react in time, the node is deleted before the call returns.
    const deletion = { ...taking, answeredAt: Infinity };
    this.deletions.push(deletion);
    const stop = onLockEvents({
      break: (event) => {
        if (event.key === key && event.node === options.node) told.push(event);
      },
    });
    try {
      await this.#locks.breakLock(key, options);
      const isForced = told.some((event) => event.isForced);
      if (!isForced) this.deletions.splice(this.deletions.indexOf(deletion), 1);
      return isForced;
    } finally {
      deletion.answeredAt = this.scene.world.now;
      stop();
    }
  }

  /** Deletes a contender's node by its index in the queue. */
  deleteNode(key: string, place: number): void {
    this.#act(`delete ${key}`, async () => {
      const { client } = this.#znodes;
      const names = (await client.list(`/locks/${key}`)).toSorted(byNumber);
      const name = names[place % Math.max(names.length, 1)];
      if (name === undefined) return;
      await this.#take(key, `/locks/${key}/${name}`);
    });
  }

  /** Deletes a lock's directory and everything below it; without a key, the root of all locks. */
  deleteDirectory(key?: string): void {
    const path = key === undefined ? '/locks' : `/locks/${key}`;
    this.#act(`delete ${path} and all in it`, () => this.#deleteAll(path));
  }

  /** Tries again if contenders have created nodes in the meantime. */
  async #deleteAll(path: string): Promise<void> {
    const { client } = this.#znodes;
    for (let tries = 1; ; tries++) {
      for (const name of await client.list(path)) {
        await this.#deleteAll(`${path}/${name}`).catch(unless('ZK_NO_NODE'));
      }
      const [, , key = '', name] = path.split('/');
      try {
        if (isLockNode(path)) await this.#take(key, path);
        else if (name === undefined) await this.#clear(key, path);
        else await client.delete(path);
        return;
      } catch (error) {
        if (tries === MOST_TRIES) throw error;
        unless('ZK_NOT_EMPTY')(error);
      }
    }
  }

  /** Deletes a contender's node. */
  async #take(key: string, path: string): Promise<void> {
    const { client } = this.#znodes;
    const { stat, data } = await client.get(path);
    const { application: replica } = parseHolderData(data) ?? {};
    const deletion = {
      ...{ key, node: lockNodeFrom(stat.czxid, data), replica },
      ...{ at: this.scene.world.now, answeredAt: Infinity },
    };
    this.deletions.push(deletion);
    try {
      await client.delete(path);
    } finally {
      deletion.answeredAt = this.scene.world.now;
    }
    this.takings.push({ ...deletion, isBreak: false });
  }

  /** Deletes a directory, and with it the record of a job's last run. */
  async #clear(key: string, path: string): Promise<void> {
    const clearing = { key, at: this.scene.world.now, answeredAt: Infinity };
    this.clearings.push(clearing);
    try {
      await this.#znodes.client.delete(path);
    } finally {
      clearing.answeredAt = this.scene.world.now;
    }
  }

  /** Asks the holders to release a lock. */
  revoke(key: string): void {
    this.#act(`revoke ${key}`, () => this.#locks.revoke(key));
  }

  close(): void {
    this.process.post(() => {
      const closing = Promise.all([this.#locks.close(), this.#znodes.close()]);
      void closing.then(() => (this.hasClosed = true));
    });
  }

  async #begin(): Promise<void> {
    await Promise.all([this.#locks.start(), this.#znodes.start()]);
    const guarded = [...this.scene.keys, CHAIR].map((key) => `${GUARDED}/${key}`);
    for (const path of [GUARDED, ...guarded, USERS]) await this.#ensure(path, '');
    for (const path of [...COUNTERS, ...PAIR]) await this.#ensure(path, '0');
    this.hasBegun = true;
  }

  /** Tries again, because the servers may be electing another leader. */
  async #ensure(path: string, data: string): Promise<void> {
    for (;;) {
      try {
        await this.#locks.client.create(path, data);
        return;
      } catch (error) {
        const { code, outcome } = error as { code?: string; outcome?: string };
        if (code === 'ZK_NODE_EXISTS') return;
        if (outcome !== 'ambiguous') throw error;
      }
    }
  }

  #act(what: string, action: () => Promise<unknown>): void {
    this.scene.world.note(`operator: ${what}`);
    this.process.post(() => {
      action().catch((error: unknown) => {
        const { code = '' } = error as { code?: string };
        this.scene.world.note(`operator: ${what} failed, ${code}`);
        if (EXPECTED.includes(code)) return;
        this.scene.report('errors', `the operator got ${describeError(error)}`);
      });
    });
  }
}
