import { lockNodeFrom } from '../../soak/history/lock-node.js';
import { Ensemble } from '../ensemble/ensemble.js';
import { Network } from '../network/network.js';
import { FAULTS } from '../faults/catalogue.js';
import { pick } from '../faults/fault.js';
import type { FaultPlan, Plan } from '../plan/plan.js';
import type { JournalEntry } from '../../workers/soak/protocol.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import { World } from '../world/world.js';
import { parseHolderData } from '../../../libs/zk-locks/src/nodes/holder-data.js';
import { Contender } from './contenders/contender.js';
import { describeEntry } from './describe-entry.js';
import { FencedResource } from './fenced-resource.js';
import { Operator } from './operator.js';
import { SimulatedReplica } from './replica.js';
import { Chronicle } from './telling/chronicle.js';
import { tellFault } from './telling/tell-fault.js';
import { Ledger } from './users/ledger.js';
import { BEGINNING_MS, describeError, type Scene } from './scene.js';
import { Witness } from './witness.js';
import { Leases } from '../checks/leases.js';
import { TurnLimits } from '../checks/turn-limits.js';
import { WatchReasons } from '../checks/herd.js';

/** A replica of the application: a process, and those that it has replaced. */
export interface ReplicaSlot {
  current: SimulatedReplica;
  readonly past: SimulatedReplica[];
}

/** A time during which one process, or each of them, may not receive all messages. */
export interface Silence {
  readonly process?: string | undefined;
  readonly from: number;
  readonly until: number;
}

/** The process id of the first replica. */
const FIRST_PID = 100;

/** A story's world, with its processes and servers, and the operations on them. */
export class Stage {
  readonly world: World;
  readonly network: Network;
  readonly servers: Ensemble;
  readonly resource: FencedResource;
  replicas: readonly ReplicaSlot[] = [];
  contenders: readonly Contender[] = [];
  readonly operator: Operator;
  readonly witness: Witness;
  readonly #turnLimits: TurnLimits;
  readonly #leases: Leases;
  readonly ledger = new Ledger(({ process, call, path, outcome = 'failed', askedAt, timeoutMs }) =>
    this.world.note(
      `${process} ${call} ${path}: ${outcome}`,
      () => `, asked at ${askedAt.toFixed(3)} for ${timeoutMs} ms`,
    ),
  );
  readonly silences: Silence[] = [];
  /** Present if the log is kept. */
  readonly chronicle: Chronicle | undefined;
  readonly deaths = new Map<string, number>();
  /** Violations that do not show in the history. */
  readonly reported: { readonly promise: string; readonly message: string }[] = [];
  /** Faults that wait for an event of a task. */
  readonly #armed: FaultPlan[] = [];
  /** Callbacks that wait until a key is granted to another replica. */
  readonly #awaiting = new Set<(key: string | undefined, holder: SimulatedReplica) => void>();
  readonly #heals = new Set<() => void>();
  readonly #scene: Scene;
  #isHealed = false;
  #pid = FIRST_PID;

  constructor(
    readonly plan: Plan,
    keepsLog: boolean,
  ) {
    const world = (this.world = new World(plan.seed, keepsLog));
    const network = (this.network = new Network(world));
    const { observer, ...servers } = plan.servers;
    this.servers = new Ensemble(world, network, { ...servers, observers: observer }, (error) =>
      this.report('errors', `a server threw ${describeError(error)}`),
    );
    this.servers.start();
    if (keepsLog) this.chronicle = new Chronicle(this.servers.view);
    const office = new SimulatedProcess(
      world,
      { name: 'resource', host: '10.4.0.1', pid: 2, rate: 1, clockMs: 0, wallMs: BEGINNING_MS },
      (error) => this.report('errors', describeError(error)),
    );
    this.resource = new FencedResource(network, office);
    const { connectString } = this.servers;
    const dialect = plan.replicas[0]?.options.dialect;
    this.#scene = {
      ...{ world, resource: this.resource, connectString, dialect, keys: plan.keys },
      onEntry: (replica, entry) => this.#onEntry(replica, entry),
      ledger: this.ledger,
      exists: (path, czxid) =>
        this.servers.members.every(
          ({ replica: { lastZxid, database } }) =>
            lastZxid < Number(czxid) || database.tree.find(path)?.czxid === czxid,
        ),
      report: (promise, message) => this.report(promise, message),
      noting: (name) => (entry) => {
        world.note(`${name} ${entry.type}`, () => ` ${describeEntry(entry)}`);
        this.chronicle?.entry(name, entry);
      },
    };
    this.operator = new Operator(this.#scene);
    const { host } = this.operator.process;
    const report = (promise: string, message: string): void => this.report(promise, message);
    this.#turnLimits = new TurnLimits(this.servers.members, report);
    this.#leases = new Leases(this.servers, report);
    this.witness = new Witness(this.servers, { operator: host, report });
    new WatchReasons(this.servers, plan, { operator: host, report });
    for (const { process } of this.servers.members) {
      network.slow(host, process.host, plan.operatorLateMs ?? 0);
      network.slow(process.host, host, plan.operatorLateMs ?? 0);
    }
  }

  startProcesses(): void {
    const { contenders = [] } = this.plan;
    this.contenders = contenders.map((plan, place) => new Contender(this.#scene, plan, place));
    this.replicas = this.plan.replicas.map((replica) => ({
      current: new SimulatedReplica(this.#scene, replica, 1, this.#pid++),
      past: [],
    }));
  }

  /** The application's processes, including those that were killed. */
  get processes(): readonly SimulatedProcess[] {
    return this.replicas.flatMap(({ past, current }) =>
      [...past, current].map(({ process }) => process),
    );
  }

  report(promise: string, message: string): void {
    this.world.note(`${promise}: ${message}`);
    this.reported.push({ promise, message });
  }

  inflict(fault: FaultPlan): void {
    if (fault.upon) this.#armed.push(fault);
    else this.#begin(fault);
  }

  #begin(drawn: FaultPlan): void {
    if (this.#isHealed) return;
    const { target, clingMs = 0, upon } = drawn;
    // Such a fault concerns one process.
    const isNear = upon !== undefined || (clingMs > 0 && !areAll(drawn));
    const fault = isNear ? { ...drawn, server: this.#placeOfServer(target) } : drawn;
    this.world.note(`fault: ${JSON.stringify(fault)}`);
    this.chronicle?.tell(this.world.now, tellFault(this, fault));
    this.#cling(fault);
    FAULTS[fault.kind]?.(this, fault);
  }

  /** Makes the holders that the fault is meant to affect keep their locks. */
  #cling(fault: FaultPlan): void {
    const { target, clingMs = 0 } = fault;
    for (const [place, { current }] of this.replicas.entries()) {
      const isMet = areAll(fault) || place === target % this.replicas.length;
      if (clingMs > 0 && isMet) current.cling(clingMs);
    }
  }

  /** The index of the server to which a replica is connected. */
  #placeOfServer(target: number): number | undefined {
    const { server } = pick(this.replicas, target)!.current;
    const place = this.servers.members.findIndex(({ host }) => host === server);
    return place < 0 ? undefined : place;
  }

  /** Begins a fault that was waiting for this event. */
  #onEntry(replica: string, entry: JournalEntry): void {
    this.#turnLimits.note(this.world.now);
    const slot = this.replicas.find(({ current }) => current.plan.name === replica);
    if (slot) this.#leases.onEntry(slot.current, entry);
    if (slot && entry.type === 'entered') {
      this.#turnLimits.onEntered(slot.current, entry);
      for (const tell of [...this.#awaiting]) tell(slot.current.keyOf(entry), slot.current);
    }
    const place = this.#armed.findIndex(({ upon }) => upon?.moment === entry.type);
    if (place < 0 || this.#isHealed) return;
    const [fault] = this.#armed.splice(place, 1) as [FaultPlan];
    const target = this.replicas.findIndex(({ current }) => current.plan.name === replica);
    const key = this.replicas[target]?.current.keyOf(entry);
    const met = { ...fault, target, key };
    this.#cling(met);
    this.world.after(fault.upon?.afterMs ?? 0, () => this.#begin(met));
  }

  /** Calls `run` once, with the next replica other than `former` that is granted the key. */
  onNextGrant(
    key: string,
    former: SimulatedReplica,
    run: (holder: SimulatedReplica) => void,
  ): void {
    const tell = (granted: string | undefined, holder: SimulatedReplica): void => {
      if (granted !== key || holder === former) return;
      this.#awaiting.delete(tell);
      run(holder);
    };
    this.#awaiting.add(tell);
  }

  /**
   * Records that messages to a replica, or to all of them, are delayed or lost for a while. A
   * silent connection is given up within a session timeout, and so is a lease.
   */
  silence(slot: ReplicaSlot | undefined, ms: number): void {
    const until = this.world.now + ms + this.longestSessionMs;
    this.silences.push({ process: slot?.current.name, from: this.world.now, until });
  }

  get longestSessionMs(): number {
    const asked = this.plan.replicas.map(
      ({ options: { sessionTimeoutMs = 0 } }) => sessionTimeoutMs,
    );
    return Math.max(...asked, this.plan.servers.minSessionTimeoutMs);
  }

  /**
   * Calls `heal` after this time, or when everything is healed.
   *
   * @returns a function that heals it earlier
   */
  untilHealed(ms: number, heal: () => void): () => void {
    const once = (): void => {
      if (this.#heals.delete(once)) heal();
    };
    this.#heals.add(once);
    this.world.after(ms, once);
    return once;
  }

  healAll(): void {
    this.#isHealed = true;
    this.#awaiting.clear();
    for (const heal of [...this.#heals]) heal();
    for (const { current } of this.replicas) current.process.endHang();
    for (const { process } of this.servers.members) process.endHang();
  }

  /**
   * Blocks the network between two hosts. The direction is given as seen from the first.
   *
   * @returns a function that ends the block earlier
   */
  blockFor(ms: number, host: string, other: string, ways: 'both' | 'out' | 'in'): () => void {
    const blocked: [string, string][] = [];
    if (ways !== 'in') blocked.push([host, other]);
    if (ways !== 'out') blocked.push([other, host]);
    for (const [from, to] of blocked) this.network.block(from, to);
    return this.untilHealed(ms, () => {
      for (const [from, to] of blocked) this.network.free(from, to);
    });
  }

  kill({ current }: ReplicaSlot): void {
    this.deaths.set(current.name, this.world.now);
    current.process.kill();
  }

  replace(slot: ReplicaSlot): void {
    const { plan, start } = slot.current;
    slot.past.push(slot.current);
    slot.current = new SimulatedReplica(this.#scene, plan, start + 1, this.#pid++);
  }

  /** The process whose node is the first in a queue. */
  ownerOf(key: string): SimulatedReplica | undefined {
    const [first] = [...this.servers.view.below(`/locks/${key}`)].toSorted((one, other) =>
      one.path.slice(-10).localeCompare(other.path.slice(-10)),
    );
    const [, pid] = /"pid":(\d+)/.exec(first?.data?.toString() ?? '') ?? [];
    return this.replicas
      .map(({ current }) => current)
      .find(({ process }) => process.pid === Number(pid));
  }

  /** Ends a session by force, as an operator can. Its holders cannot be told in advance. */
  expire(sessionId: bigint): void {
    this.#leases.ended(sessionId);
    this.servers.expireSession(sessionId, () => this.#noteExpiry(sessionId));
  }

  #noteExpiry(sessionId: bigint): void {
    const at = this.world.now;
    const answeredAt = at + this.longestSessionMs;
    for (const { path, sessionId: owner } of this.servers.view.ephemerals) {
      const [, key] = /^\/locks\/([^/]+)\//.exec(path) ?? [];
      const { czxid, data } = this.servers.view.find(path) ?? {};
      const { application: replica } = parseHolderData(data ?? Buffer.alloc(0)) ?? {};
      if (owner !== sessionId || key === undefined) continue;
      const node = czxid && data ? lockNodeFrom(czxid, data) : undefined;
      // The process learns of this by its next connection, or by the end of its lease.
      this.operator.deletions.push({ key, node, replica, at, answeredAt, isSilent: true });
    }
  }
}

/** Whether all holders keep their locks, or only those of one process. */
function areAll({ choices }: FaultPlan): boolean {
  return (choices[3] ?? 0) < 500;
}
