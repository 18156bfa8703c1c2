import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { CrowdOptions, CrowdReport } from '../../../apps/soak-worker/src/crowd-protocol.js';
import { waitFor } from '../../support/wait-for.js';
import { FAIL_ON_WARNING } from '../../support/own-program.js';

const program = fileURLToPath(new URL('../../../apps/soak-worker/dist/crowd.js', import.meta.url));

const running = new Set<Crowd>();
process.once('exit', () => {
  for (const crowd of running) crowd.kill();
});

/** A process of very many clients, each of which holds a lock. */
export class Crowd {
  #latest: CrowdReport | undefined;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;

  private constructor(options: CrowdOptions) {
    const env = { ...process.env, CROWD_OPTIONS: JSON.stringify(options) };
    this.#process = spawn(process.execPath, [...FAIL_ON_WARNING, program], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      this.#latest = JSON.parse(line) as CrowdReport;
    });
    running.add(this);
    this.#process.once('exit', () => running.delete(this));
  }

  /** Resolves once every one of them holds its lock. */
  static async gather(options: CrowdOptions): Promise<Crowd> {
    const crowd = new Crowd(options);
    const what = `a crowd of ${options.size}`;
    await waitFor(() => crowd.#latest, { what, timeoutMs: 120_000, intervalMs: 100 });
    return crowd;
  }

  report(): Promise<CrowdReport> {
    this.#latest = undefined;
    this.#process.stdin.write('\n');
    return waitFor(() => this.#latest, { what: 'the report of the crowd', timeoutMs: 30_000 });
  }

  /** Lets everybody release and close, and the process end by itself. */
  async disperse(): Promise<void> {
    this.#process.stdin.end();
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}
