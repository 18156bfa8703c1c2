import { text } from 'node:stream/consumers';
import { OwnProcess, ownProgram } from '../support/own-process.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import type { Run, Sample } from './worker/run.js';

/** The young generation has a fixed size, so that it does not make `rss` grow. */
const program = ownProgram(
  'dist/test/endurance/worker/main.js',
  '--expose-gc',
  '--disable-warning=ExperimentalWarning',
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
);

class EnduranceWorker extends OwnProcess {
  async samples(): Promise<Sample[]> {
    const said = await text(this.child.stdout);
    await this.ended;
    if (this.exitCode !== 0) throw new Error(`the endurance worker failed: ${this.errors}`);
    return said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Sample);
  }
}

/** Runs the worker on a ZooKeeper where its session is the only one. */
export async function endure(run: Omit<Run, 'port' | 'tickTimeMs'>): Promise<Sample[]> {
  const tickTimeMs = 500;
  const server = await ZooKeeperServer.start({ tickTimeMs });
  try {
    const settings: Run = { ...run, port: server.port, tickTimeMs };
    await using worker = new EnduranceWorker([...program, JSON.stringify(settings)]);
    return await worker.samples();
  } finally {
    await server.stop();
  }
}
