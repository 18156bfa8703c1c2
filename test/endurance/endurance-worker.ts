import { CommandProcess } from '../support/command-process.js';
import { ownProgram } from '../support/own-process.js';
import type { Commands, WorkerSettings } from './worker/protocol.js';

const program = ownProgram(
  'dist/test/endurance/worker/main.js',
  '--expose-gc',
  '--disable-warning=ExperimentalWarning',
  // Of one size from the start, so that `rss` does not grow by it in the middle of a run.
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
);

/** The process whose memory and handles are measured; it runs what was built. */
export class EnduranceWorker extends CommandProcess<Commands> {
  /** Resolves once the worker's session is connected. */
  static async start(settings: WorkerSettings): Promise<EnduranceWorker> {
    const words = [...program, JSON.stringify(settings)];
    const worker = new EnduranceWorker(words, 'the endurance worker');
    await worker.ready();
    return worker;
  }
}
