import { text } from 'node:stream/consumers';
import { OwnProcess, ownProgram } from '../support/own-process.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import type { Run, Sample } from './worker/run.js';

/** It runs what was built. The young generation has one size, so that `rss` does not grow by it. */
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

/** On a ZooKeeper on which the worker's session is the only one. */
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
