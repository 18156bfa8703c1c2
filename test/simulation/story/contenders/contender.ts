import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from 'zk-client';
import { hasReturnCode, ReturnCode, ZooKeeperError } from 'zk-client/recipes';
import { fencingToken } from '../../../../libs/zk-locks/src/nodes/fencing-token.js';
import { Random } from '../../../workers/soak/random.js';
import { type Held, Section, type SectionContext } from '../../../workers/soak/section.js';
import type { ContenderPlan } from '../../plan/plan.js';
import { SimulatedProcess } from '../../world/simulated-process.js';
import { MemoryJournal } from '../memory-journal.js';
import { BEGINNING_MS, describeError, type Scene } from '../scene.js';
import { blockerOf, type Mode, RECIPES } from './recipes.js';

/** Percentages of turns in which the process dies while it has a node, or pauses. */
const DYING_PERCENT = 4;
const STANDING_PERCENT = 4;
const RETRY_MS = 200;
const EMPTY = Buffer.alloc(0);

type Created = Awaited<ReturnType<Connection['create']>>;

/**
 * A process of another library that competes for the same locks. When it loses its connection, it
 * gives up its session.
 */
export class Contender {
  readonly name: string;
  readonly process: SimulatedProcess;
  readonly journal: MemoryJournal;
  isIdle = false;
  readonly #context: SectionContext;
  readonly #random: Random;
  #connection: Connection | undefined;
  /** Called when a watch fires or the connection is lost. */
  #wake = (): void => {};
  #isPaused = false;

  constructor(
    private readonly scene: Scene,
    private readonly plan: ContenderPlan,
    place: number,
  ) {
    const { world, resource } = scene;
    const name = (this.name = `${plan.name}.1`);
    const clock = { rate: 1, clockMs: 5_000 * place, wallMs: BEGINNING_MS };
    this.process = new SimulatedProcess(
      world,
      { name, pid: 50 + place, host: `10.5.0.${place + 1}`, ...clock },
      (error) => scene.report('errors', `${name} threw ${describeError(error)}`),
    );
    this.journal = new MemoryJournal(scene.noting(name));
    this.#random = new Random(this.process.random.between(0, 0x7fff_ffff));
    this.#context = {
      ...{ journal: this.journal, resource: resource.clientOf(this.process) },
      ...{ stalls: { look: () => {} }, random: this.#random, clingUntil: 0, inside: new Set() },
      isFair: scene.dialect !== 'single-node',
    };
    this.process.run(() => void this.#contend());
  }

  pause(): void {
    this.#isPaused = true;
  }

  async #contend(): Promise<void> {
    while (!this.#isPaused) {
      try {
        if (this.#connection?.isOpen !== true) this.#connection = await this.#connect();
        await this.#turn(this.#connection);
      } catch (error) {
        if (!(error instanceof ZooKeeperError)) throw error;
        await sleep(this.#random.between(1, RETRY_MS));
      }
      await sleep(this.#random.between(0, this.plan.idleMs));
    }
    this.#connection?.abandon();
    this.isIdle = true;
  }

  #connect(): Promise<Connection> {
    const { sessionTimeoutMs } = this.plan;
    const [host = '', port] = this.#random.pick(this.scene.connectString.split(',')).split(':');
    const wake = (): void => this.#wake();
    return Connection.open({
      ...{ host, port: Number(port), sessionTimeoutMs, connectTimeoutMs: sessionTimeoutMs },
      listener: { onNode: wake, onEnd: wake },
    });
  }

  /** Enqueues, waits until no node blocks its own or it runs out of patience, and works. */
  async #turn(connection: Connection): Promise<void> {
    const { keys, dialect = 'curator-rw' } = this.scene;
    const random = this.#random;
    const directory = `/locks/${random.pick(keys)}`;
    const mode = random.pick(Object.keys(RECIPES[dialect].names) as Mode[]);
    const until = performance.now() + random.between(500, 5_000);
    let own: Created | undefined;
    do {
      own ??= await this.#create(connection, directory, mode);
      let blocker: string | undefined = 'lock';
      if (own) {
        const name = own.path.slice(directory.length + 1);
        const names = await connection.list(directory);
        if (!names.includes(name)) return;
        blocker = blockerOf(names, name, mode);
        if (blocker === undefined) await this.#hold(connection, own, mode);
      }
      if (blocker === undefined) break;
      await this.#untilChanged(connection, `${directory}/${blocker}`, until - performance.now());
    } while (performance.now() < until);
    if (own) await connection.delete(own.path).catch(unless(ReturnCode.noNode));
  }

  /** Returns undefined if the lock is a single node that another process has. */
  async #create(
    connection: Connection,
    directory: string,
    mode: Mode,
  ): Promise<Created | undefined> {
    const { dialect = 'curator-rw' } = this.scene;
    const { names, usesContainers } = RECIPES[dialect];
    const isSingle = dialect === 'single-node';
    // kazoo omits the dashes.
    const uuid = dialect === 'kazoo' ? randomUUID().replaceAll('-', '') : randomUUID();
    const path = `${directory}/${names[mode]!.replace('UUID', uuid)}`;
    const kind = isSingle ? 'ephemeral' : 'ephemeral-sequential';
    for (;;) {
      try {
        return await connection.create(path, Buffer.from(this.process.host), kind);
      } catch (error) {
        if (isSingle && hasReturnCode(error, ReturnCode.nodeExists)) return undefined;
        if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
      }
      const ofDirectory = usesContainers ? 'container' : 'persistent';
      await connection.create('/locks', EMPTY, 'persistent').catch(unless(ReturnCode.nodeExists));
      const created = connection.create(directory, EMPTY, ofDirectory);
      await created.catch(unless(ReturnCode.nodeExists));
    }
  }

  async #untilChanged(connection: Connection, path: string, withinMs: number): Promise<void> {
    const changed = new Promise<void>((resolve) => (this.#wake = resolve));
    try {
      await connection.get(path, { watch: true });
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noNode)) return;
      throw error;
    }
    await Promise.race([changed, sleep(withinMs)]);
  }

  async #hold(connection: Connection, own: Created, mode: Mode): Promise<void> {
    const random = this.#random;
    if (random.chance(STANDING_PERCENT)) {
      this.process.stop();
      this.scene.world.after(random.between(10, 3_000), () => this.process.continue());
    }
    const access = mode === 'read' ? 'shared' : 'exclusive';
    const entrance = { key: own.path.split('/')[2]!, kind: mode, access } as const;
    const section = Section.enter(this.#context, this.#heldBy(connection, own), entrance);
    await section?.work(random.between(0, 15));
    section?.leave();
    if (random.chance(DYING_PERCENT)) connection.abandon();
  }

  /** Other libraries are not told of a loss. Here a lock is held while its node exists. */
  #heldBy(connection: Connection, { path, czxid = 0n }: Created): Held {
    const controller = new AbortController();
    const { exists } = this.scene;
    return {
      signal: controller.signal,
      fencingToken: fencingToken(czxid),
      get isHeld() {
        if (!connection.isOpen || !exists(path, czxid)) controller.abort();
        return !controller.signal.aborted;
      },
    };
  }
}

/** Ignores an error with this code. */
const unless =
  (code: number) =>
  (error: unknown): void => {
    if (!hasReturnCode(error, code)) throw error;
  };
