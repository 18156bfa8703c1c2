import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorCode, OpCode } from 'zk-protocol';
import { Random } from '../../../workers/soak/random.js';
import { type Held, Section, type SectionContext } from '../../../workers/soak/section.js';
import { fencingToken } from '../../../../libs/zk-locks/src/nodes/fencing-token.js';
import type { ContenderPlan } from '../../plan/plan.js';
import { SimulatedProcess } from '../../world/simulated-process.js';
import { MemoryJournal } from '../memory-journal.js';
import { BEGINNING_MS, describeError, type Scene } from '../scene.js';
import { blockerOf, type Mode, type Recipe, RECIPES } from './recipes.js';
import { RefusedError, SessionGoneError, WireSession } from './wire-session.js';

const OPEN = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
const EPHEMERAL = 1;
const EPHEMERAL_SEQUENTIAL = 3;
const CONTAINER = 4;

/** Shares of turns, in percent: it dies while it has a node, or stands still for a while. */
const DYING_PERCENT = 4;
const STANDING_PERCENT = 4;
const RETRY_MS = 200;

/** A process of another library, which wants the same locks. */
export class Contender {
  readonly name: string;
  readonly process: SimulatedProcess;
  readonly journal: MemoryJournal;
  isIdle = false;
  hasClosed = false;
  readonly #context: SectionContext;
  readonly #random: Random;
  #session: WireSession | undefined;
  #isPaused = false;

  constructor(
    private readonly scene: Scene,
    private readonly plan: ContenderPlan,
    place: number,
  ) {
    const { world, resource } = scene;
    this.name = `${plan.name}.1`;
    const clock = { rate: 1, clockMs: 5_000 * place, wallMs: BEGINNING_MS };
    this.process = new SimulatedProcess(
      world,
      { name: this.name, pid: 50 + place, host: `10.5.0.${place + 1}`, ...clock },
      (error) => scene.report('errors', `${this.name} threw ${describeError(error)}`),
    );
    this.journal = new MemoryJournal(scene.noting(this.name));
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

  close(): void {
    this.process.post(() => {
      this.#session?.abandon();
      this.hasClosed = true;
    });
  }

  async #contend(): Promise<void> {
    while (!this.#isPaused) {
      try {
        await this.#turn();
      } catch (error) {
        const isUsual = error instanceof SessionGoneError || error instanceof RefusedError;
        if (!isUsual) this.scene.report('errors', `${this.name} threw ${describeError(error)}`);
        await sleep(this.#random.between(1, RETRY_MS));
      }
      await sleep(this.#random.between(0, this.plan.idleMs));
    }
    this.isIdle = true;
  }

  async #turn(): Promise<void> {
    const { scene, plan } = this;
    const random = this.#random;
    if (!this.#session || this.#session.isOver) {
      const host = random.pick(scene.connectString.split(',')).replace(':2181', '');
      this.#session = undefined;
      this.#session = await WireSession.open(scene, this.process, host, plan.sessionTimeoutMs);
    }
    const directory = `/locks/${random.pick(scene.keys)}`;
    const { dialect = 'curator-rw' } = scene;
    if (dialect === 'single-node') return this.#takePlain(this.#session, directory);
    await this.#queueUp(this.#session, directory, RECIPES[dialect]);
  }

  async #queueUp(session: WireSession, directory: string, recipe: Recipe): Promise<void> {
    const mode = this.#random.pick(recipe.modes);
    const path = await this.#create(session, recipe.usesContainers, directory, {
      name: recipe.prefix(mode),
      flags: EPHEMERAL_SEQUENTIAL,
    });
    const own = path.slice(directory.length + 1);
    const until = performance.now() + this.#random.between(500, 5_000);
    for (;;) {
      const { children } = await session.request(OpCode.getChildren, {
        path: directory,
        watch: false,
      });
      const blocker = blockerOf(recipe, children, own, mode);
      if (blocker === null) return;
      if (blocker === undefined) break;
      const leftMs = until - performance.now();
      if (leftMs <= 0) {
        await this.#delete(session, path);
        return;
      }
      await this.#untilChanged(session, `${directory}/${blocker}`, leftMs);
    }
    await this.#hold(session, path, mode);
  }

  async #takePlain(session: WireSession, directory: string): Promise<void> {
    const until = performance.now() + this.#random.between(500, 5_000);
    const path = `${directory}/lock`;
    while (performance.now() < until) {
      try {
        await this.#create(session, false, directory, { name: 'lock', flags: EPHEMERAL });
        await this.#hold(session, path, 'write');
        return;
      } catch (error) {
        if ((error as RefusedError).err !== ErrorCode.nodeExists) throw error;
        await this.#untilChanged(session, path, until - performance.now());
      }
    }
  }

  async #create(
    session: WireSession,
    usesContainers: boolean,
    directory: string,
    { name, flags }: { readonly name: string; readonly flags: number },
  ): Promise<string> {
    const data = Buffer.from(this.process.host);
    for (;;) {
      try {
        const path = `${directory}/${name}`;
        const created = await session.request(OpCode.create, { path, data, acl: OPEN, flags });
        return created.path;
      } catch (error) {
        if ((error as RefusedError).err !== ErrorCode.noNode) throw error;
      }
      for (const path of ['/locks', directory]) {
        const isContainer = usesContainers && path === directory;
        const made = { path, data: Buffer.alloc(0), acl: OPEN };
        const making = isContainer
          ? session.request(OpCode.createContainer, { ...made, flags: CONTAINER })
          : session.request(OpCode.create, { ...made, flags: 0 });
        await making.catch((error: unknown) => {
          if ((error as RefusedError).err !== ErrorCode.nodeExists) throw error;
        });
      }
    }
  }

  async #untilChanged(session: WireSession, path: string, withinMs: number): Promise<void> {
    const changed = session.event(path, withinMs);
    try {
      await session.request(OpCode.exists, { path, watch: true });
    } catch (error) {
      session.forget(path);
      if ((error as RefusedError).err === ErrorCode.noNode) return;
      throw error;
    }
    await changed;
  }

  async #hold(session: WireSession, path: string, mode: Mode): Promise<void> {
    const held = this.#heldBy(session, path);
    const random = this.#random;
    if (random.chance(STANDING_PERCENT)) this.#standStill(random.between(10, 3_000));
    const entrance = {
      ...{ key: path.split('/')[2]!, kind: mode },
      access: mode === 'read' ? ('shared' as const) : ('exclusive' as const),
    };
    const section = held && Section.enter(this.#context, held, entrance);
    await section?.work(random.between(0, 15));
    section?.leave();
    if (random.chance(DYING_PERCENT)) session.abandon();
    await this.#delete(session, path);
  }

  async #delete(session: WireSession, path: string): Promise<void> {
    const isGone = (error: unknown): void => {
      if ((error as RefusedError).err !== ErrorCode.noNode) throw error;
    };
    await session.request(OpCode.delete, { path, version: -1 }).catch(isGone);
  }

  /** It has the lock for as long as its node exists, as no other library can know. */
  #heldBy(session: WireSession, path: string): Held | undefined {
    const czxid = this.scene.existsAs(path);
    if (czxid === undefined) return undefined;
    const controller = new AbortController();
    const { existsAs } = this.scene;
    return {
      signal: controller.signal,
      fencingToken: fencingToken(czxid),
      get isHeld() {
        if (session.isOver || existsAs(path) !== czxid) controller.abort();
        return !controller.signal.aborted;
      },
    };
  }

  #standStill(ms: number): void {
    this.process.stop();
    this.scene.world.after(ms, () => this.process.continue());
  }
}
