import { setTimeout as sleep } from 'node:timers/promises';
import { OpCode } from 'zk-protocol';
import { CommandProcess } from '../support/command-process.js';
import { ownProgram } from '../support/own-process.js';
import { WireClient } from '../support/wire-client.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import type { Sample } from './verdict.js';
import type { Commands } from './worker/protocol.js';

export interface EnduranceOptions {
  /** Cycles of taking and giving back locks, or ends of sessions. */
  readonly steps: number;
  /** How often all pauses, to be measured. */
  readonly pauses: number;
  readonly seed: number;
}

const TICK_MS = 500;
/** How many take locks at the same time. */
const TASKS = 64;
/** Cycles in which most objects come that V8 keeps about code: about twenty a thousand. */
const WARM_UP = 2_000;
/** Long, so that no lock is lost where the machine is busy. */
const LASTING_SESSION_MS = 30_000;
/**
 * Longer than the worker stands still while its heap is measured, which takes some seconds on a busy
 * machine. Not much longer: between two losses a process waits for up to a sixth of this.
 */
const BRIEF_SESSION_MS = 10_000;
/** For deletions, which go on in the background. */
const QUIET_WITHIN_MS = 30_000;

/** It runs what was built. The young generation has one size, so that `rss` does not grow by it. */
const program = ownProgram(
  'dist/test/endurance/worker/main.js',
  '--expose-gc',
  '--disable-warning=ExperimentalWarning',
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
);

class EnduranceWorker extends CommandProcess<Commands> {}

/** Takes locks and gives them back; at each pause nothing is held but what is held throughout. */
export async function endureCycles(options: EnduranceOptions): Promise<Sample[]> {
  await using place = await Place.open(options.seed, LASTING_SESSION_MS);
  const { worker } = place;
  // Opens what is held throughout, and lets V8 learn, before anything is counted.
  await worker.tell('cycle', WARM_UP);
  return await place.measureWhile(options, 1, (count) => worker.tell('cycle', count));
}

/** Ends the session again and again, while locks are held and waited for. */
export async function endureSessions(options: EnduranceOptions): Promise<Sample[]> {
  await using place = await Place.open(options.seed, BRIEF_SESSION_MS);
  const { worker } = place;
  const ephemerals = await worker.tell('occupy');
  const samples = await place.measureWhile(options, ephemerals, async (count) => {
    for (let ended = 0; ended < count; ended++) {
      await place.endSession();
      await worker.tell('succeed');
    }
  });
  await worker.tell('vacate');
  return samples;
}

/** A ZooKeeper, and a worker whose session is the only one there. */
class Place implements AsyncDisposable {
  private constructor(
    readonly server: ZooKeeperServer,
    readonly worker: EnduranceWorker,
  ) {}

  static async open(seed: number, sessionTimeoutMs: number): Promise<Place> {
    const server = await ZooKeeperServer.start({ tickTimeMs: TICK_MS });
    const settings = { servers: server.connectString, sessionTimeoutMs, tickTimeMs: TICK_MS };
    const words = [...program, JSON.stringify({ ...settings, tasks: TASKS, seed })];
    const worker = new EnduranceWorker(words, 'the endurance worker');
    const place = new Place(server, worker);
    await worker.ready().catch(async (error: unknown) => {
      await place[Symbol.asyncDispose]();
      throw error;
    });
    return place;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.worker.stop();
    await this.server.stop();
  }

  /**
   * Runs all steps, and takes a sample before the first, after the last and at each pause, once the
   * server has no more ephemeral nodes than these.
   */
  async measureWhile(
    { steps, pauses }: EnduranceOptions,
    ephemerals: number,
    run: (steps: number) => Promise<void>,
  ): Promise<Sample[]> {
    const samples: Sample[] = [];
    for (let pause = 0, done = 0; pause <= pauses; pause++) {
      const next = Math.round((steps * pause) / pauses);
      if (next > done) await run(next - done);
      done = next;
      // What collects first is not counted: requests may be underway until now.
      await this.worker.tell('measure');
      const deadline = performance.now() + QUIET_WITHIN_MS;
      while ((await this.#ephemerals()) !== ephemerals && performance.now() < deadline)
        await sleep(20);
      samples.push({ done, ...(await this.worker.tell('measure')) });
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

  async #ephemerals(): Promise<number> {
    const answer = await this.server.fourLetterWord('mntr');
    return Number(/^zk_ephemerals_count\t(\d+)$/m.exec(answer)?.[1]);
  }
}
