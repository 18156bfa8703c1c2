import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { freePort } from './free-port.js';
import type { RelayAnswer, RelayCall } from './relay/relay-process.js';
import type { Towards } from './relay/tcp-relay.js';
import type { Operation, ReplyHeader } from './relay/zookeeper-frames.js';
import type { ZooKeeperRelay } from './relay/zookeeper-relay.js';

type Method = Exclude<keyof ZooKeeperRelay, 'port' | 'targetPort'>;

interface PendingCall {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/** A loss that was asked for, and that may not have happened yet. */
export interface PendingLoss<T> {
  readonly happened: Promise<T>;
}

/**
 * A TCP proxy between ZooKeeper clients and a server, whose faults are named by what they do.
 *
 * It runs in a process of its own: ZooKeeper's C client blocks the thread that closes it until the
 * server has answered, and goes on polling numbers of file descriptors that it has closed. Every
 * call therefore returns a promise, and has taken effect once that resolves. Four-letter words do
 * not pass: send those to the server itself.
 *
 * @example
 * const proxy = await FaultProxy.start(server.port);
 * const loss = await proxy.loseNextReply('create');
 * const locking = locks.acquire('key'); // connected to proxy.connectString
 * await loss.happened; // the server has created the node, and the client does not know
 */
export class FaultProxy implements AsyncDisposable {
  readonly #pending = new Map<number, PendingCall>();
  #calls = 0;

  private constructor(
    readonly port: number,
    private readonly process: ChildProcess,
  ) {
    process.on('message', (answer: RelayAnswer) => {
      const call = this.#pending.get(answer.id);
      this.#pending.delete(answer.id);
      if ('error' in answer) call?.reject(answer.error);
      else call?.resolve(answer.value);
    });
  }

  /** @param targetPort the server's port on 127.0.0.1 */
  static start(targetPort: number): Promise<FaultProxy> {
    return FaultProxy.#start(targetPort, true);
  }

  /** For links that don't carry ZooKeeper's client protocol, such as those between servers. */
  static startBlind(targetPort: number): Promise<FaultProxy> {
    return FaultProxy.#start(targetPort, false);
  }

  static async #start(targetPort: number, readsAlong: boolean): Promise<FaultProxy> {
    const port = await freePort();
    const child = spawn(
      process.execPath,
      [
        ...['--input-type=module', '--eval', await script(), '--'],
        ...[String(port), String(targetPort), readsAlong ? 'read-along' : 'blind'],
      ],
      // `advanced` passes bigints.
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], serialization: 'advanced' },
    );
    child.unref();
    child.channel?.unref();
    const proxy = new FaultProxy(port, child);
    await proxy.accept();
    return proxy;
  }

  get connectString(): string {
    return `127.0.0.1:${String(this.port)}`;
  }

  /** How many connections are open now. */
  connections(): Promise<number> {
    return this.#call('connections');
  }

  /** How many requests of each kind clients have sent, since the last {@link resetCounters}. */
  requests(): Promise<Record<Operation, number>> {
    return this.#call('requests');
  }

  /** How many watch events the server has sent, since the last {@link resetCounters}. */
  notifications(): Promise<number> {
    return this.#call('notifications');
  }

  resetCounters(): Promise<void> {
    return this.#call('resetCounters');
  }

  /** Resets every connection; new ones are welcome. */
  cut(): Promise<void> {
    return this.#call('cut');
  }

  /** Refuses new connections; those that are open stay. */
  refuse(): Promise<void> {
    return this.#call('refuse');
  }

  /** Takes new connections (again). */
  accept(): Promise<void> {
    return this.#call('accept');
  }

  /** Nothing passes any more, in either direction; sockets stay open, and new ones are silent. */
  async freeze(): Promise<void> {
    await Promise.all([this.freezeTowards('client'), this.freezeTowards('server')]);
  }

  /** Nothing passes any more in one direction. */
  freezeTowards(end: Towards): Promise<void> {
    return this.#call('freezeTowards', end);
  }

  /** Passes on everything that was held back, and what follows. */
  thaw(): Promise<void> {
    return this.#call('thaw');
  }

  /** Everything takes so much longer in each direction; a round trip takes twice as much longer. */
  delay(ms: number): Promise<void> {
    return this.#call('delay', ms);
  }

  /**
   * Passes the next such request to the server, waits until it is answered, drops the answer and
   * resets the connection: the server has done it, and the client cannot know.
   */
  loseNextReply(operation: Operation): Promise<PendingLoss<ReplyHeader>> {
    return this.#lose<ReplyHeader>('reply', operation);
  }

  /** Drops the next such request and resets the connection: the server never hears of it. */
  loseNextRequest(operation: Operation): Promise<PendingLoss<undefined>> {
    return this.#lose<undefined>('request', operation);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #lose<T extends ReplyHeader | undefined>(
    of: 'request' | 'reply',
    operation: Operation,
  ): Promise<PendingLoss<T>> {
    const loss = await this.#call('loseNext', of, operation);
    return { happened: this.#call('lossHappened', loss) as Promise<T> };
  }

  #call<M extends Method>(
    method: M,
    ...args: Parameters<ZooKeeperRelay[M]>
  ): Promise<Awaited<ReturnType<ZooKeeperRelay[M]>>> {
    const id = this.#calls++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve, reject });
      this.process.send({ id, method, args } satisfies RelayCall);
    });
  }
}

let bundled: Promise<string> | undefined;

/** The process's code as one piece of JavaScript: Node 20 runs no TypeScript. */
function script(): Promise<string> {
  bundled ??= bundle(fileURLToPath(new URL('relay/relay-process.ts', import.meta.url)));
  return bundled;
}

async function bundle(input: string): Promise<string> {
  await using build = await rolldown({ input, platform: 'node' });
  const { output } = await build.generate({ format: 'esm' });
  return output[0].code;
}
