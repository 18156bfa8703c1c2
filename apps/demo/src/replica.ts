import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { StartError } from './start-error.js';

const MAIN = fileURLToPath(new URL('main.js', import.meta.url));
const STOP_TIMEOUT_MS = 10_000;

/** A box office in a process of its own, on any free port. */
export class Replica implements AsyncDisposable {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(zkConnect: string, stateFile: string): Promise<Replica> {
    const child = fork(MAIN, {
      env: { ...process.env, PORT: '0', ZK_CONNECT: zkConnect, DEMO_STATE: stateFile },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [url] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
    if (typeof url !== 'string') throw new StartError('A replica ended before it could sell.');
    return new Replica(child, url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const impatience = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(impatience);
  }
}
