import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReplicaNews } from './replica-news.js';
import { StartError } from './start-error.js';

const PROGRAM = fileURLToPath(new URL('box-office.js', import.meta.url));
const STOP_TIMEOUT_MS = 10_000;

export interface ReplicaOptions {
  readonly name: string;
  /** ZooKeeper's servers, or a proxy in front of them. */
  readonly zkConnect: string;
  readonly stateFile: string;
  readonly onNews?: (news: ReplicaNews) => void;
}

/** A box office in a process of its own, on any free port. */
export class Replica implements AsyncDisposable {
  /** Resolves when its process has ended. */
  readonly ended: Promise<unknown>;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    this.ended = this.hasEnded ? Promise.resolve() : once(child, 'exit');
  }

  /** @throws {StartError} if it ends before it serves; it has printed the reason on standard error */
  static async start({ name, zkConnect, stateFile, onNews }: ReplicaOptions): Promise<Replica> {
    const child = fork(PROGRAM, {
      env: {
        ...process.env,
        PORT: '0',
        ZK_CONNECT: zkConnect,
        DEMO_STATE: stateFile,
        DEMO_NAME: name,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      child.on('message', (news: ReplicaNews) => {
        if (news.what === 'serving') resolve(news.url);
        onNews?.(news);
      });
      child.once('exit', () => reject(new StartError('A replica ended before it could sell.')));
    });
    return new Replica(child, url);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGTERM');
    const impatience = setTimeout(() => this.signal('SIGKILL'), STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(impatience);
  }
}
