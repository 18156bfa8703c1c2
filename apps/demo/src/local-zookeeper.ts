import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './start-error.js';
import { zooKeeperCommand } from './zookeeper-command.js';

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

const SYSTEM_PROPERTIES = {
  'java.awt.headless': 'true',
  'org.slf4j.simpleLogger.defaultLogLevel': 'warn',
  // Nothing is kept beyond the server's end, so no write needs to wait for the disk.
  'zookeeper.forceSync': 'no',
  'zookeeper.preAllocSize': '1024',
};

/** A ZooKeeper server of this process, on 127.0.0.1, with its data in a temporary directory. */
export class LocalZooKeeper implements AsyncDisposable {
  readonly #server: ChildProcess;
  readonly #directory: string;
  readonly #cleanUp = (): void => {
    this.#end('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 3 });
  };
  #log = '';

  private constructor(private readonly port: number) {
    this.#directory = mkdtempSync(join(tmpdir(), 'nestjs-zk-lock-zookeeper-'));
    const config = join(this.#directory, 'zoo.cfg');
    writeFileSync(config, configure(port, this.#directory));
    const { command, args } = zooKeeperCommand(config, SYSTEM_PROPERTIES);
    // Detached, because Ctrl-C must reach the application first, which still has locks to give back.
    this.#server = spawn(command, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#server.on('error', (error) => (this.#log += error.message));
    this.#server.stderr?.setEncoding('utf8').on('data', (lines: string) => {
      this.#log = (this.#log + lines).slice(-4_096);
    });
    process.once('exit', this.#cleanUp);
  }

  /** @throws {StartError} with the end of the server's log, when it does not serve in time */
  static async start(): Promise<LocalZooKeeper> {
    const zookeeper = new LocalZooKeeper(await freePort());
    try {
      await zookeeper.#ready();
    } catch (error) {
      await zookeeper.stop();
      throw error;
    }
    return zookeeper;
  }

  get connectString(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Ends the server and removes its data. */
  async stop(): Promise<void> {
    if (this.#isRunning) {
      const ended = once(this.#server, 'exit');
      this.#end('SIGTERM');
      const impatience = setTimeout(() => {
        this.#end('SIGKILL');
      }, STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(impatience);
    }
    process.off('exit', this.#cleanUp);
    this.#cleanUp();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get #isRunning(): boolean {
    const { pid, exitCode, signalCode } = this.#server;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  #end(signal: NodeJS.Signals): void {
    if (this.#isRunning) this.#server.kill(signal);
  }

  async #ready(): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!(await serves(this.port))) {
      if (!this.#isRunning || performance.now() > deadline) {
        throw new StartError(
          `ZooKeeper did not start; set ZK_CONNECT to use one that runs, or "npm run ensure" to install it. Its log ends with:\n${this.#log.trim()}`,
        );
      }
      await sleep(20);
    }
  }
}

function configure(port: number, directory: string): string {
  return [
    'tickTime=2000',
    `dataDir=${directory}`,
    `clientPort=${port}`,
    'clientPortAddress=127.0.0.1',
    'maxClientCnxns=0',
    'admin.enableServer=false',
  ].join('\n');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function serves(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.setTimeout(1_000, () => socket.destroy());
  socket.write('srvr');
  try {
    return (await text(socket)).includes('Mode: standalone');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
