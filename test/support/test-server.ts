import { EmbeddedZooKeeper } from 'zk-embedded';
import { inject } from 'vitest';
import { fourLetterWord, type FourLetterWord } from './four-letter-word.js';
import { freePort } from './free-port.js';
import {
  type ChangedLimits,
  ZooKeeperServer,
  type ZooKeeperServerOptions,
} from './zookeeper-server.js';

/** `real` is Apache's server in its own process; `embedded` is ours in a thread. */
export type ServerKind = 'real' | 'embedded';

/** A server of either kind, for tests that stop their server. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  readonly connectString: string;
  fourLetterWord(word: FourLetterWord): Promise<string>;
  /** Starts the server again with the same data and port. It may be running. */
  restart(changes?: ChangedLimits): Promise<void>;
  /** Sets the number that the next sequential child of each directory gets; may restart the server. */
  setNextSequences(next: Readonly<Record<string, number>>): Promise<void>;
  /** Ends it cleanly and keeps its data for {@link restart}. */
  halt(): Promise<void>;
  /** Ends it at once, as a crash does, and keeps its data for {@link restart}. */
  kill(): Promise<void>;
  /** Until {@link resume}, clients can connect but get no answers. */
  pause(): Promise<void>;
  resume(): Promise<void> | void;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** A server of the kind that this test project uses. */
export function startServer(options: ZooKeeperServerOptions = {}): Promise<TestServer> {
  return startServerOfKind(inject('serverKind'), options);
}

export function startServerOfKind(
  kind: ServerKind,
  options: ZooKeeperServerOptions,
): Promise<TestServer> {
  return kind === 'real' ? ZooKeeperServer.start(options) : startEmbedded(options);
}

async function startEmbedded(options: ZooKeeperServerOptions): Promise<TestServer> {
  const { tickTimeMs = 500, containerCheckIntervalMs = 1_000 } = options;
  const zk = await EmbeddedZooKeeper.start({
    port: options.port ?? (await freePort()),
    tickTimeMs,
    minSessionTimeoutMs: options.minSessionTimeoutMs ?? 2 * tickTimeMs,
    maxSessionTimeoutMs: options.maxSessionTimeoutMs ?? 40_000,
    containerCheckIntervalMs,
    maxClientConnections: 0,
  });
  return {
    port: zk.port,
    connectString: zk.connectString,
    fourLetterWord: (word) => fourLetterWord(zk.port, word),
    restart: (changes = {}) => zk.restart({ keep: true, ...changes }),
    setNextSequences: async (next) => {
      for (const entry of Object.entries(next)) await zk.setNextSequence(...entry);
    },
    halt: () => zk.halt(),
    kill: () => zk.halt(),
    pause: () => zk.pause(),
    resume: () => zk.resume(),
    stop: () => zk.stop(),
    [Symbol.asyncDispose]: () => zk.stop(),
  };
}
