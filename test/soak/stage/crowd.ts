import { CommandProcess } from '../../support/command-process.js';
import { ownProgram } from '../../support/own-process.js';
import type {
  CrowdCommands,
  CrowdOptions,
  CrowdReport,
} from '../../workers/soak/crowd-protocol.js';

/** A process of very many clients, each of which holds a lock. */
export class Crowd extends CommandProcess<CrowdCommands> {
  /** Resolves once every one of them holds its lock. */
  static async gather(options: CrowdOptions): Promise<Crowd> {
    const program = [...ownProgram('dist/test/workers/soak/crowd.js'), JSON.stringify(options)];
    const crowd = new Crowd(program, `a crowd of ${options.size}`);
    await crowd.ready(120_000);
    return crowd;
  }

  report(): Promise<CrowdReport> {
    return this.tell('report');
  }

  /** Lets everybody release and close, and the process end by itself. */
  async disperse(): Promise<void> {
    this.child.stdin.end();
    await this.ended;
  }
}
