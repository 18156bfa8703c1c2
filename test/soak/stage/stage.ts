import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import { machineTime } from '../../workers/soak/journal.js';
import { CHAIR, type LockKind } from '../../workers/soak/protocol.js';
import type { Random } from '../../workers/soak/random.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { LinkedEnsemble } from '../../support/linked-ensemble.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import {
  longestMarginMs,
  reportTickMs,
  SESSION_MS,
  TICK_MS,
  type Configuration,
} from '../configuration/configuration.js';
import type { History, Write } from '../history/history.js';
import { readJournal } from '../history/read-journal.js';
import { Onlooker } from './onlooker.js';
import { Replica } from './replica.js';

export const ROOT = '/locks';
const KEYS = ['a', 'b', 'c'] as const;

/** The percentage of replicas with a safety margin. */
const WITH_MARGIN_PERCENT = 50;

/** The maximum number of handovers in each replica, if it has cohorts. */
const REPLICAS = { one: 0, two: 2, three: 20 } as const;

/** While a lock is kept, handovers are limited only by the 1,024 tokens of its node. */
const MOST_HANDOVERS = 1_023;

/** The directory in which holders write with transactions that check their locks. */
const GUARDED = '/guarded';
const GUARDED_KEYS = [...KEYS, CHAIR].map((key) => `${GUARDED}/${key}`);

/** The number of tasks of each kind that compete in each replica. */
const TASKS: Readonly<Record<LockKind, number>> = {
  write: 3,
  read: 3,
  upgradable: 1,
  downgrade: 1,
  several: 1,
  permits: 3,
  leader: 1,
  run: 1,
};

/** The servers, replicas and networks of a run. */
export class Stage implements AsyncDisposable {
  readonly #deaths = new Map<string, number>();

  private constructor(
    readonly ensemble: LinkedEnsemble,
    readonly replicas: readonly Replica[],
    readonly onlooker: Onlooker,
    private readonly directory: string,
    readonly configuration: Configuration,
  ) {}

  static async open(random: Random, configuration: Configuration): Promise<Stage> {
    const { client, hasObserver, keepMs } = configuration;
    const ensemble = await LinkedEnsemble.start({
      ...{ tickTimeMs: TICK_MS, minSessionTimeoutMs: 2 * TICK_MS },
      ...{ observers: hasObserver ? 1 : 0, observerMaster: hasObserver },
    });
    const directory = makeTempDir('soak');
    const onlooker = new Onlooker(ensemble.servers);
    await onlooker.ask(async (inspector) => {
      for (const path of [GUARDED, ...GUARDED_KEYS]) await inspector.create(path);
    });
    const tickTimeMs = reportTickMs(configuration);
    const replicas: Replica[] = [];
    for (const [name, maxHandovers] of Object.entries(REPLICAS)) {
      const proxies = await Promise.all(
        ensemble.servers.servers.map(({ port }) => FaultProxy.start(port, ensemble.relays)),
      );
      const servers = proxies.map(({ connectString }) => connectString).join(',');
      const module: ZkLockModuleOptions = {
        ...{ root: ROOT, client, sessionTimeoutMs: SESSION_MS, tickTimeMs },
        ...{ servers, application: name },
        marginMs: random.chance(WITH_MARGIN_PERCENT)
          ? longestMarginMs(SESSION_MS / 2, tickTimeMs)
          : 0,
        cohort: maxHandovers > 0 && keepMs > 0 && { maxHandovers, keepMs },
      };
      const { run, ...others } = TASKS;
      replicas.push(
        await Replica.start(name, {
          ...{ proxies, module, keys: KEYS },
          ...(client === 'wire'
            ? { tasks: { ...others, run }, guarded: GUARDED }
            : { tasks: others }),
          journalOf: (process) => join(directory, process),
          seed: random.between(0, 0x7fff_ffff),
        }),
      );
    }
    return new Stage(ensemble, replicas, onlooker, directory, configuration);
  }

  /** In milliseconds. */
  get sessionTimeoutMs(): number {
    return SESSION_MS;
  }

  /** The maximum number of handovers in each replica. */
  get handovers(): ReadonlyMap<string, number> {
    const hasCohorts = this.configuration.keepMs > 0;
    const most = (limit: number): number => (hasCohorts && limit > 0 ? MOST_HANDOVERS : 0);
    return new Map(Object.entries(REPLICAS).map(([name, limit]) => [name, most(limit)]));
  }

  async run(): Promise<void> {
    await Promise.all(this.replicas.map(({ process }) => process.run()));
  }

  async kill(replica: Replica): Promise<void> {
    this.#deaths.set(replica.process.name, machineTime());
    await replica.process.end();
  }

  /** Starts a new process in place of the killed one, and its tasks. */
  async replace(replica: Replica): Promise<void> {
    await replica.replace();
    await replica.process.run();
  }

  /** The history since the previous call. All replicas must be paused. */
  async takeHistory(): Promise<History> {
    const guarded = await this.onlooker.ask(async (inspector) => {
      const trees = await Promise.all(GUARDED_KEYS.map((path) => inspector.tree(path)));
      await Promise.all(trees.flat().map((path) => inspector.delete(path)));
      return trees.flat();
    });
    const processes = this.replicas.flatMap((replica) => replica.processes);
    const parts = processes.map((process) => readJournal(process.name, process.readJournal()));
    for (const replica of this.replicas) replica.forgetPast();
    return {
      grants: parts.flatMap(({ grants }) => grants),
      waits: parts.flatMap(({ waits }) => waits),
      refusals: parts.flatMap(({ refusals }) => refusals),
      stalls: parts.flatMap(({ stalls }) => stalls),
      clockChanges: parts.flatMap(({ clockChanges }) => clockChanges),
      errors: parts.flatMap(({ errors }) => errors),
      writes: guarded.map(guardedWrite),
      ...{ deletions: [], clearings: [], breaks: [] },
      deaths: new Map(this.#deaths),
    };
  }

  /** Copies the journals of all processes to the reports. */
  keepJournals(name: string): string {
    const kept = fileURLToPath(new URL(`../../../reports/soak/${name}`, import.meta.url));
    cpSync(this.directory, kept, { recursive: true });
    return kept;
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(({ process }) => process.end()));
    await this.ensemble.stop();
    removeTempDir(this.directory);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * The name of the node contains its writer's token and a sequence number, which is the order in
 * which ZooKeeper wrote.
 */
function guardedWrite(path: string): Write {
  const [, key, token = '', number] = /([^/]+)\/(\d+)-(\d+)$/.exec(path) ?? [];
  const process = 'a holder';
  return {
    process,
    key: `${GUARDED}/${String(key)}`,
    token: BigInt(token),
    accepted: true,
    at: Number(number),
  };
}
