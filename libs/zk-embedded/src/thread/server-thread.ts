import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EmbeddedZooKeeperOptions } from '../options.js';
import { unpackError } from './error-message.js';
import type { CallArgs, CallResult, ReplyMessage, ServerCall, StartMessage } from './calls.js';

/** How long the thread may take to stop the server before it is terminated. */
const STOP_MS = 2_000;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A server in a thread of its own, and the unanswered calls to it. */
export class ServerThread {
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;
  #stopping: Promise<void> | undefined;
  /** Why it accepts no more calls. */
  #end: Error | undefined;

  private constructor(
    private readonly worker: Worker,
    readonly port: number,
  ) {
    worker.on('message', (message: ReplyMessage) => this.#settle(message));
    worker.on('error', (cause: unknown) => this.#breakDown(cause));
    worker.on('exit', () => this.#finish(new Error('zk-embedded: this server has been stopped.')));
  }

  /** @throws the error of a server that cannot start */
  static async start(options: EmbeddedZooKeeperOptions): Promise<ServerThread> {
    const worker = new Worker(new URL('server-worker.cjs', import.meta.url), {
      workerData: options,
      // Plain JavaScript: this process's loader, debugger and `--eval` do not apply to it.
      execArgv: [],
    });
    const [message] = (await once(worker, 'message')) as [StartMessage];
    if ('port' in message) return new ServerThread(worker, message.port);
    await worker.terminate();
    throw unpackError(message.failure);
  }

  async call<C extends ServerCall>(call: C, ...args: CallArgs<C>): Promise<CallResult<C>> {
    if (this.#end) throw this.#end;
    const id = this.#nextId++;
    this.worker.postMessage({ id, call, args });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
    });
  }

  /** All calls of `stop` wait for the same end. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    if (this.#end) return;
    const tooLate = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
    await Promise.race([this.call('stop'), tooLate]);
    await this.worker.terminate();
  }

  #settle(message: ReplyMessage): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('failure' in message) waiting?.reject(unpackError(message.failure));
    else waiting?.resolve(message.result);
  }

  /** Throws, so that the failure is seen: clients would only wait for answers. */
  #breakDown(cause: unknown): void {
    const error = new Error('zk-embedded: the server broke down. Please report this.', { cause });
    this.#finish(error);
    process.nextTick(() => {
      throw error;
    });
  }

  #finish(end: Error): void {
    this.#end ??= end;
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
  }
}
