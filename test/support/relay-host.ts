import { CommandProcess } from './command-process.js';
import { ownProgram } from './own-process.js';
import type { RelayCommands } from './relay/relay-process.js';

/**
 * A process for relays. ZooKeeper's C client blocks the thread that closes it until the server has
 * answered, and goes on polling file descriptors that it has closed. A relay in the same process
 * would be blocked with it.
 */
export class RelayHost extends CommandProcess<RelayCommands> {
  static async start(): Promise<RelayHost> {
    const host = new RelayHost(
      ownProgram('dist/test/support/relay/relay-process.js'),
      'the relays',
    );
    await host.ready();
    return host;
  }
}
