import { appendFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import { machineTime } from '../../workers/soak/journal.js';
import {
  CHAIR,
  type LockKind,
  type SoakWorkerOptions,
  type Workload,
} from '../../workers/soak/protocol.js';
import type { Random } from '../../workers/soak/random.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import type { LinkedEnsemble } from '../../support/linked-ensemble.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import {
  grantedTimeoutMs,
  marginOf,
  reportTickMs,
  type Configuration,
} from '../configuration/configuration.js';
import type { Break, Deletion, ExpectedError, History, Write } from '../history/history.js';
import { readJournal } from '../history/read-journal.js';
import { Onlooker } from './onlooker.js';
import { Replica } from './replica.js';
import { Resource } from './resource.js';
import { openServers } from './servers.js';

/** Of the replicas, where the sessions have room for a margin. */
const WITH_MARGIN_PERCENT = 50;

/** The worker of this build. */
export const WORKER = 'dist/test/workers/soak/main.js';

export const ROOT = '/locks';
export const KEYS = ['a', 'b', 'c'] as const;

/** The number of hand-overs in each replica before others have their turn. */
export type Handovers = ReadonlyMap<string, number>;

const HANDOVERS: Handovers = new Map([
  ['one', 0],
  ['two', 2],
  ['three', 20],
]);
const NO_HANDOVERS: Handovers = new Map([
  ['one', 0],
  ['two', 0],
  ['three', 0],
]);

/** The most under one node, which has 1,024 tokens. */
const MOST_HANDOVERS = 1_023;

/** Beside the processes' journals, for the analysis of a violation. */
const OPERATOR_JOURNAL = 'operator';

/** Where holders write by transactions that check their locks. */
export const GUARDED = '/guarded';

/** How many tasks of each kind compete in each replica. */
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

/** The options of the replicas and of all other clients. */
export type StageModule = Pick<
  ZkLockModuleOptions,
  'root' | 'client' | 'dialect' | 'sessionTimeoutMs' | 'tickTimeMs'
>;

/** What a run needs: servers, replicas with their networks, and the resource that they write to. */
export class Stage implements AsyncDisposable {
  readonly #deletions: Deletion[] = [];
  readonly #breaks: Break[] = [];
  readonly #expectedErrors: ExpectedError[] = [];
  readonly #deaths = new Map<string, number>();

  private constructor(
    readonly ensemble: LinkedEnsemble,
    readonly replicas: readonly Replica[],
    readonly onlooker: Onlooker,
    private readonly resource: Resource,
    private readonly directory: string,
    readonly configuration: Configuration,
  ) {}

  /** @param program the worker's main file */
  static async open(
    random: Random,
    configuration: Configuration,
    program = WORKER,
  ): Promise<Stage> {
    const ensemble = await openServers(configuration);
    const resource = await Resource.start();
    const directory = makeTempDir('soak');
    const onlooker = new Onlooker(ensemble.servers, ROOT);
    await onlooker.create([GUARDED, ...[...KEYS, CHAIR].map((key) => `${GUARDED}/${key}`)]);
    const replicas: Replica[] = [];
    for (const [name, maxHandovers] of handoversOf(configuration)) {
      const proxies = await Promise.all(
        ensemble.servers.servers.map(({ port }) => FaultProxy.start(port, ensemble.relays)),
      );
      const servers = proxies.map(({ connectString }) => connectString).join(',');
      replicas.push(
        await Replica.start(name, {
          ...{ proxies, program, keys: KEYS, resourcePort: resource.port },
          tasks: tasksOf(configuration),
          guarded: configuration.client === 'wire' ? GUARDED : undefined,
          module: {
            ...moduleOf(configuration),
            ...{ servers, application: name },
            marginMs: random.chance(WITH_MARGIN_PERCENT) ? marginOf(configuration) : 0,
            cohort: maxHandovers > 0 && { maxHandovers, keepMs: configuration.keepMs },
          },
          journalOf: (process) => join(directory, process),
          seed: random.between(0, 0x7fff_ffff),
        }),
      );
    }
    return new Stage(ensemble, replicas, onlooker, resource, directory, configuration);
  }

  /** The timeout granted to each session at first, in milliseconds. */
  get sessionTimeoutMs(): number {
    return grantedTimeoutMs(this.configuration);
  }

  /** The most hand-overs: while a lock is kept, only its token limits them. */
  get handovers(): Handovers {
    const handovers = handoversOf(this.configuration);
    if (this.configuration.keepMs === 0) return handovers;
    return new Map(Array.from(handovers, ([name, most]) => [name, most && MOST_HANDOVERS]));
  }

  get module(): StageModule {
    return moduleOf(this.configuration);
  }

  /** @param workloadOf the work of each replica, by its place among them */
  async run(workloadOf: (place: number) => Workload = () => ({})): Promise<void> {
    await Promise.all(this.replicas.map(({ process }, place) => process.run(workloadOf(place))));
  }

  /** Kills the process of a replica. */
  async kill(replica: Replica): Promise<void> {
    this.#deaths.set(replica.process.name, machineTime());
    await replica.process.end();
  }

  /** Starts a new process in its place, whose tasks run. */
  async replace(replica: Replica): Promise<void> {
    await replica.replace();
    await replica.process.run();
  }

  /** Deletes a lock node, as an operator does. */
  async deleteContender(key: string, name: string): Promise<void> {
    const at = machineTime();
    const deleted = await this.onlooker.deleteContender(key, name);
    const answeredAt = machineTime();
    this.#deletions.push({ key, ...deleted, at, answeredAt });
    const { node, ...note } = { key, name, ...deleted, at, answeredAt };
    this.#noteOperator({ type: 'deleted', ...note, token: String(node?.token) });
  }

  #noteOperator(note: object): void {
    appendFileSync(join(this.directory, OPERATOR_JOURNAL), `${JSON.stringify(note)}\n`);
  }

  /**
   * Breaks a lock, or a waiter's place, as an operator does through a replica. False if there was
   * none.
   */
  async breakLock(replica: Replica, key: string, whom: 'holder' | 'waiter'): Promise<boolean> {
    const at = machineTime();
    const broken = await replica.process.breakLock(key, whom);
    const answeredAt = machineTime();
    if (!broken) return false;
    const { token, isShared, isForced, replica: of } = broken;
    const node = { token: BigInt(token), isShared };
    if (isForced) this.#deletions.push({ key, node, replica: of, at, answeredAt });
    else this.#breaks.push({ key, node, answeredAt });
    this.#noteOperator({ type: 'broke', key, ...broken, at, answeredAt });
    return true;
  }

  /**
   * From now until the returned function is called, calls may end in this error, or only those for
   * a key.
   */
  expectError(code: string, key?: string): () => void {
    const expected = { code, key, from: machineTime(), until: Infinity };
    this.#expectedErrors.push(expected);
    return () => {
      expected.until = machineTime();
    };
  }

  /** The history since the last call, once all replicas pause. */
  async takeHistory(): Promise<History> {
    const guarded = await this.onlooker.takeNames(
      [...KEYS, CHAIR].map((key) => `${GUARDED}/${key}`),
    );
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
      writes: [...this.resource.takeWrites(), ...guarded.map(guardedWrite)],
      deletions: this.#deletions.splice(0),
      breaks: this.#breaks.splice(0),
      expectedErrors: this.#expectedErrors.splice(0),
      deaths: new Map(this.#deaths),
    };
  }

  /** The journals of all processes, for readers. */
  keepJournals(name: string): string {
    const kept = fileURLToPath(new URL(`../../../reports/soak/${name}`, import.meta.url));
    cpSync(this.directory, kept, { recursive: true });
    return kept;
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(({ process }) => process.end()));
    await this.resource.stop();
    await this.ensemble.stop();
    removeTempDir(this.directory);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * Its name has the token of its writer and a sequence number, the order in which ZooKeeper wrote.
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

/** Without kinds that the dialect or the client does not have. */
function tasksOf({ dialect, client }: Configuration): SoakWorkerOptions['tasks'] {
  const { run, ...others } = TASKS;
  const runs = client === 'wire' ? { run } : {};
  if (dialect === 'curator-rw') return { ...others, ...runs };
  const { write, several, permits, leader } = TASKS;
  return { write, several, permits, leader, ...runs };
}

function handoversOf({ cohorts }: Configuration): Handovers {
  return cohorts ? HANDOVERS : NO_HANDOVERS;
}

function moduleOf(configuration: Configuration): StageModule {
  const { client, dialect, sessionTimeoutMs } = configuration;
  return { root: ROOT, client, dialect, sessionTimeoutMs, tickTimeMs: reportTickMs(configuration) };
}
