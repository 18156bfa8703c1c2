import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fourLetterWord, type FourLetterWord } from './four-letter-word.js';
import { freePort } from './free-port.js';
import { makeTempDir, removeTempDir } from './temp-dir.js';
import { logNextSequence } from './transaction-log.js';
import { waitFor } from './wait-for.js';
import { QUICK_JAVA } from './zookeeper-command.js';
import { ZooKeeperProcess } from './zookeeper-process.js';

export interface ZooKeeperServerOptions {
  /** @default 500, so that sessions of one second are possible */
  readonly tickTimeMs?: number;
  /** @default two ticks */
  readonly minSessionTimeoutMs?: number;
  /** @default 40,000 */
  readonly maxSessionTimeoutMs?: number;
  /** How often empty containers are removed. @default 1,000 */
  readonly containerCheckIntervalMs?: number;
  /** @default a free one */
  readonly port?: number;
  /** More lines of the configuration file; they replace the ones written by default. */
  readonly extraConfig?: Readonly<Record<string, string | number>>;
  /** More system properties of the server's Java, such as `jute.maxbuffer`. */
  readonly systemProperties?: Readonly<Record<string, string>>;
  /** Options of Java itself. @default a quick start, in 128 MB */
  readonly javaOptions?: readonly string[];
  /** The error of its wall clock. @default 0 */
  readonly clockOffsetMs?: number | undefined;
  /** The member's number in an ensemble. */
  readonly id?: number;
}

/** Settings that may change at a restart. */
export interface ChangedLimits {
  readonly minSessionTimeoutMs?: number;
  readonly maxSessionTimeoutMs?: number;
}

/** Members may elect an unreachable leader, and give up on it after `initLimit`, more than once. */
const START_MS = 120_000;

export type ServerMode = 'standalone' | 'leader' | 'follower' | 'observer';

/**
 * A real Apache ZooKeeper on 127.0.0.1, with its data in a temporary directory.
 *
 * @example
 * const server = await ZooKeeperServer.start();
 * try {
 *   await connectTo(server.connectString);
 * } finally {
 *   await server.stop();
 * }
 */
export class ZooKeeperServer implements AsyncDisposable {
  #process: ZooKeeperProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly directory: string,
    private readonly systemProperties: Readonly<Record<string, string>>,
    private readonly javaOptions: readonly string[],
    private readonly clockOffsetMs: number,
  ) {}

  /** Starts a server and waits until it serves requests. */
  static async start(options: ZooKeeperServerOptions = {}): Promise<ZooKeeperServer> {
    const server = await ZooKeeperServer.prepare(options);
    try {
      await server.restart();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Writes the configuration but does not start the server. */
  static async prepare(options: ZooKeeperServerOptions = {}): Promise<ZooKeeperServer> {
    const port = options.port ?? (await freePort());
    const directory = makeTempDir('zookeeper');
    const config = { ...configOf(options, port, directory), ...options.extraConfig };
    const lines = Object.entries(config).map(([name, value]) => `${name}=${String(value)}\n`);
    writeFileSync(join(directory, 'zoo.cfg'), lines.join(''));
    if (options.id !== undefined) writeFileSync(join(directory, 'myid'), String(options.id));
    const { javaOptions = QUICK_JAVA, clockOffsetMs = 0 } = options;
    return new ZooKeeperServer(port, directory, propertiesOf(options), javaOptions, clockOffsetMs);
  }

  /** The server reads this file at each start. */
  get configFile(): string {
    return join(this.directory, 'zoo.cfg');
  }

  get connectString(): string {
    return `127.0.0.1:${String(this.port)}`;
  }

  get pid(): number {
    return this.#running().pid;
  }

  get isRunning(): boolean {
    return this.#process?.hasExited === false;
  }

  /** Starts the process without waiting for it: a member of an ensemble cannot serve alone. */
  launch(): void {
    if (this.isRunning)
      throw new Error(`the ZooKeeper at port ${String(this.port)} is already running`);
    this.#process = new ZooKeeperProcess(
      this.clockOffsetMs,
      ...([this.configFile, this.systemProperties, this.javaOptions] as const),
    );
  }

  /** Waits until the server reports its mode, and thus serves requests. */
  async ready(): Promise<ServerMode> {
    try {
      const mode = await waitFor(
        // A process that has ended will not answer; its log says why.
        async () => (this.isRunning ? await this.#modeOfMine().catch(() => undefined) : 'ended'),
        {
          what: `the ZooKeeper at port ${String(this.port)} to serve`,
          ...{ timeoutMs: START_MS, intervalMs: 50 },
        },
      );
      if (mode === 'ended') throw new Error('the process ended');
      return mode;
    } catch (error) {
      const log = this.#process?.errors ?? '';
      await this.kill();
      throw new Error(`ZooKeeper did not start; its log ends with:\n${log}`, { cause: error });
    }
  }

  /** Whether it is standalone, leads, follows or observes; `undefined` while it does not serve. */
  async mode(timeoutMs?: number): Promise<ServerMode | undefined> {
    const answer = await this.fourLetterWord('srvr', timeoutMs);
    return /^Mode: (standalone|leader|follower|observer)$/m.exec(answer)?.[1] as
      ServerMode | undefined;
  }

  fourLetterWord(word: FourLetterWord, timeoutMs?: number): Promise<string> {
    return fourLetterWord(this.port, word, timeoutMs);
  }

  /** Starts it (again) with the same data on the same port, and waits until it serves requests. */
  async restart(limits: ChangedLimits = {}): Promise<void> {
    await this.halt();
    this.#changeLimits(limits);
    this.launch();
    await this.ready();
  }

  /** Changes the server's settings for its next start. */
  #changeLimits({ minSessionTimeoutMs, maxSessionTimeoutMs }: ChangedLimits): void {
    const changes = {
      minSessionTimeout: minSessionTimeoutMs,
      maxSessionTimeout: maxSessionTimeoutMs,
    };
    let config = readFileSync(this.configFile, 'utf8');
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) continue;
      config = config.replace(new RegExp(`^${name}=.*$`, 'm'), `${name}=${String(value)}`);
    }
    writeFileSync(this.configFile, config);
  }

  /** Removes the data of a stopped server, which then starts as a new one. */
  wipe(): void {
    if (this.isRunning) throw new Error(`the ZooKeeper at port ${String(this.port)} is running`);
    rmSync(join(this.directory, 'version-2'), { recursive: true, force: true });
  }

  /** Restarts it, with other numbers for the next sequential child of each directory. */
  async setNextSequences(next: Readonly<Record<string, number>>): Promise<void> {
    const zxid = await this.lastZxid();
    await this.halt();
    for (const [index, [directory, number]] of Object.entries(next).entries()) {
      this.logNextSequence(zxid + BigInt(10 * index), directory, number);
    }
    await this.restart();
  }

  /** The latest transaction that it has executed. */
  async lastZxid(): Promise<bigint> {
    const zxid = /^Zxid: (0x[0-9a-f]+)$/m.exec(await this.fourLetterWord('srvr'))?.[1];
    if (zxid === undefined) throw new Error('srvr shows no zxid');
    return BigInt(zxid);
  }

  /**
   * Sets the number for the next sequential child of a directory on a stopped server.
   *
   * @param zxid an earlier {@link lastZxid}; there may have been some transactions since
   */
  logNextSequence(zxid: bigint, directory: string, next: number): void {
    logNextSequence(this.directory, zxid + 1_000_000n, directory, next);
  }

  /** Replaces the data of a stopped server by those that another server has logged. */
  copyData(from: ZooKeeperServer): void {
    this.wipe();
    const part = 'version-2';
    cpSync(join(from.directory, part), join(this.directory, part), { recursive: true });
  }

  /** Stops it cleanly, and keeps its data for {@link restart}. */
  async halt(): Promise<void> {
    await this.#process?.end('SIGTERM');
  }

  /** Kills it, and keeps its data for {@link restart}. */
  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  /** Suspends the process; its sockets stay open without answers. */
  pause(): Promise<void> {
    return this.#running().pause();
  }

  resume(): void {
    this.#running().resume();
  }

  /** Stops it and removes its data. */
  async stop(): Promise<void> {
    await this.halt();
    removeTempDir(this.directory);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Like {@link mode}, but checks that this process answers: another server may use the port. */
  async #modeOfMine(): Promise<ServerMode | undefined> {
    const isWell = (await this.fourLetterWord('ruok')) === 'imok';
    if (!isWell || !(await this.fourLetterWord('conf')).includes(this.directory)) return;
    return this.mode();
  }

  #running(): ZooKeeperProcess {
    if (!this.#process || this.#process.hasExited) {
      throw new Error(`the ZooKeeper at port ${String(this.port)} is not running`);
    }
    return this.#process;
  }
}

function configOf(
  options: ZooKeeperServerOptions,
  port: number,
  directory: string,
): Record<string, string | number> {
  const tickTime = options.tickTimeMs ?? 500;
  return {
    tickTime,
    minSessionTimeout: options.minSessionTimeoutMs ?? 2 * tickTime,
    maxSessionTimeout: options.maxSessionTimeoutMs ?? 40_000,
    dataDir: directory,
    clientPort: port,
    clientPortAddress: '127.0.0.1',
    maxClientCnxns: 0,
    '4lw.commands.whitelist': '*',
    'admin.enableServer': 'false',
  };
}

function propertiesOf(options: ZooKeeperServerOptions): Record<string, string> {
  return {
    'java.awt.headless': 'true',
    'org.slf4j.simpleLogger.defaultLogLevel': 'warn',
    'znode.container.checkIntervalMs': String(options.containerCheckIntervalMs ?? 1_000),
    // Tests kill processes, not machines, so written data survives without waiting for disks.
    'zookeeper.forceSync': 'no',
    'zookeeper.preAllocSize': '1024',
    // By default, members that have missed each other's votes may repeat them only after a minute.
    'zookeeper.fastleader.maxNotificationInterval': '1000',
    ...options.systemProperties,
  };
}
