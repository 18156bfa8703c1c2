import { setTimeout as sleep } from 'node:timers/promises';
import { OpCode } from 'zk-protocol';
import { WireClient } from '../support/wire-client.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { EnduranceWorker } from './endurance-worker.js';
import { measureServer, type ServerGauge } from './server-gauge.js';
import type { Sample } from './sample.js';
import type { CycleKind, Footprint, Gauge } from './worker/protocol.js';

export interface EnduranceOptions {
  /** How often all pauses, to be measured. */
  readonly pauses: number;
  /** Ends early, at the first pause after so long. @default no limit */
  readonly withinMs?: number | undefined;
  readonly seed: number;
  /** The longest time from one pause to the next; a run that is slower than that fails. @default no limit */
  readonly stepWithinMs?: number | undefined;
  /** Told of each sample when it is taken. */
  readonly onSample?: ((sample: Sample) => void) | undefined;
}

export interface CycleOptions extends EnduranceOptions {
  readonly cycles: number;
  readonly kinds: readonly CycleKind[];
  /** How many take locks at the same time. */
  readonly tasks: number;
}

export interface SessionOptions extends EnduranceOptions {
  readonly sessions: number;
}

const TICK_MS = 500;

/** Long, so that no lock is lost where the machine is busy. */
const LASTING_SESSION_MS = 30_000;

/**
 * Longer than the worker stands still while its heap is measured, which takes some seconds on a busy
 * machine. Not much longer: between two losses a process waits for up to a sixth of this.
 */
const BRIEF_SESSION_MS = 10_000;

/** For what goes on in the background: deletions, and the server's removal of empty directories. */
export const QUIET_WITHIN_MS = 30_000;

/** Another look at the worker: where it has lost a session by itself, it has to come to rest again. */
const LOOK_AGAIN_MS = 2_000;

/** Takes locks and gives them back; at each pause nothing is held but what is held throughout. */
export async function endureCycles(options: CycleOptions): Promise<Sample[]> {
  const { cycles, kinds, tasks } = options;
  await using place = await Place.open({ ...options, kinds, tasks }, LASTING_SESSION_MS);
  const { worker } = place;
  // Opens what is held throughout, before anything is counted.
  await worker.tell('cycle', 0);
  const quiet = await measureServer(place.server);
  return await place.measureWhile(cycles, options, quiet, (count) => worker.tell('cycle', count));
}

/** Ends the session again and again, while locks are held and waited for. */
export async function endureSessions(options: SessionOptions): Promise<Sample[]> {
  await using place = await Place.open({ ...options, kinds: [], tasks: 0 }, BRIEF_SESSION_MS);
  const { worker } = place;
  const footprint = await worker.tell('occupy');
  const samples = await place.measureWhile(options.sessions, options, footprint, async (count) => {
    for (let ended = 0; ended < count; ended++) {
      await place.endSession();
      await worker.tell('succeed');
    }
  });
  await worker.tell('vacate');
  return samples;
}

type PlaceOptions = Pick<CycleOptions, 'seed' | 'kinds' | 'tasks'>;

/** A ZooKeeper, and a worker whose session is the only one there. */
class Place implements AsyncDisposable {
  readonly #beganAt = performance.now();

  private constructor(
    readonly server: ZooKeeperServer,
    readonly worker: EnduranceWorker,
  ) {}

  static async open(options: PlaceOptions, sessionTimeoutMs: number): Promise<Place> {
    const { kinds, tasks, seed } = options;
    const server = await ZooKeeperServer.start({ tickTimeMs: TICK_MS });
    try {
      const locks = { servers: server.connectString, sessionTimeoutMs, tickTimeMs: TICK_MS };
      const worker = await EnduranceWorker.start({ ...locks, kinds, tasks, seed });
      return new Place(server, worker);
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.worker.stop();
    await this.server.stop();
  }

  /**
   * Runs `total` steps, and takes a sample before the first, after the last and at each pause. The
   * sample at which no rest comes is the last.
   */
  async measureWhile(
    total: number,
    { pauses, withinMs = Infinity, stepWithinMs, onSample }: EnduranceOptions,
    quiet: Footprint,
    run: (steps: number) => Promise<void>,
  ): Promise<Sample[]> {
    const samples: Sample[] = [];
    for (let pause = 0, done = 0; pause <= pauses; pause++) {
      const next = Math.round((total * pause) / pauses);
      if (next > done) await within(stepWithinMs, run(next - done), `steps ${done + 1} to ${next}`);
      done = next;
      const { isQuiet, ...gauges } = await this.#rest(quiet);
      const sample = { done, seconds: this.#seconds(), ...gauges };
      samples.push(sample);
      onSample?.(sample);
      if (!isQuiet || this.#seconds() * 1_000 > withinMs) break;
    }
    return samples;
  }

  /**
   * As an administrator would: attaches to the session and closes it, until the server knows it no
   * more. The worker may be faster, and attach to it again before it is closed.
   */
  async endSession(): Promise<void> {
    const { id, password } = await this.worker.tell('credentials');
    const session = {
      sessionId: BigInt.asIntN(64, BigInt(`0x${id}`)),
      passwd: Buffer.from(password, 'hex'),
    };
    for (;;) {
      const client = await WireClient.connect(this.server.port, session);
      const isOver = client.greeting?.timeOut === 0;
      if (!isOver) await client.ask(OpCode.closeSession, undefined).catch(() => undefined);
      client.drop();
      await client.ended;
      if (isOver) return;
    }
  }

  /**
   * What is counted once the worker has come to rest and the server is `quiet`, before and after it;
   * where that does not come, what is then.
   */
  async #rest(quiet: Footprint): Promise<Gauge & ServerGauge & { isQuiet: boolean }> {
    const deadline = performance.now() + QUIET_WITHIN_MS;
    for (;;) {
      await this.worker.tell('measure');
      await this.#whenQuiet(quiet);
      // Again: the requests that were underway until now are counted no more.
      const gauge = await this.worker.tell('measure');
      const server = await measureServer(this.server);
      const isQuiet = isAt(server, quiet);
      if (isQuiet || performance.now() >= deadline) return { ...gauge, ...server, isQuiet };
    }
  }

  async #whenQuiet(quiet: Footprint): Promise<void> {
    const deadline = performance.now() + LOOK_AGAIN_MS;
    for (;;) {
      if (isAt(await measureServer(this.server), quiet) || performance.now() >= deadline) return;
      await sleep(20);
    }
  }

  #seconds(): number {
    return (performance.now() - this.#beganAt) / 1_000;
  }
}

/** @throws {Error} naming what has not ended in this time */
async function within<T>(ms: number | undefined, running: Promise<T>, what: string): Promise<T> {
  if (ms === undefined) return running;
  const stop = new AbortController();
  const late = sleep(ms, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${what} have not ended in ${ms} ms`);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
    running.catch(() => undefined);
  }
}

function isAt({ ephemerals, watches }: ServerGauge, quiet: Footprint): boolean {
  return ephemerals === quiet.ephemerals && watches === quiet.watches;
}
