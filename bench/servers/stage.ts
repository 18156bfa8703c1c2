import { FaultProxy, RelayHost } from '../../test/support/fault-proxy.js';
import type { Backend, Contender } from '../contenders/contender.js';
import type { Driver } from '../contenders/driver.js';
import { startRedis } from './redis-server.js';
import { connectString, type RunningServer, together } from './running-server.js';
import { startZooKeeper, startZooKeeperEnsemble } from './zookeeper.js';

/**
 * The servers of a place: one of each kind; one that is used by a single driver at a time, so that
 * its requests can be counted; one behind a longer round trip; or three of each.
 */
export type PlaceName = 'standalone' | 'alone' | 'distant' | 'ensemble';

/** The round-trip time that is added in the distant place. */
export const ADDED_ROUND_TRIP_MS = 5;

type Starter = () => Promise<RunningServer>;

const ONE: Record<Backend, Starter> = {
  zookeeper: startZooKeeper,
  redis: () => startRedis(false),
  'redis-fsync': () => startRedis(true),
};

const THREE: Record<Backend, Starter> = {
  zookeeper: startZooKeeperEnsemble,
  redis: () => together([startRedis(false), startRedis(false), startRedis(false)]),
  'redis-fsync': () => together([startRedis(true), startRedis(true), startRedis(true)]),
};

/** The servers of one place, and the drivers that use them. Each is started on first use. */
export class Stage implements AsyncDisposable {
  readonly #servers = new Map<Backend, Promise<RunningServer>>();
  readonly #proxies: FaultProxy[] = [];
  readonly #drivers = new Map<string, Promise<Driver[]>>();
  #relays: Promise<RelayHost> | undefined;

  constructor(readonly place: PlaceName) {}

  /** The drivers of a contender, with one process each. They are started once. */
  drivers(contender: Contender, processes: number): Promise<Driver[]> {
    const name = `${contender.name}/${processes}`;
    let drivers = this.#drivers.get(name);
    drivers ??= this.#startDrivers(contender, processes);
    this.#drivers.set(name, drivers);
    return drivers;
  }

  /** The ports of the servers themselves. */
  async ports(backend: Backend): Promise<readonly number[]> {
    let server = this.#servers.get(backend);
    server ??= (this.place === 'ensemble' ? THREE : ONE)[backend]();
    this.#servers.set(backend, server);
    return (await server).ports;
  }

  /** A proxy to ZooKeeper that counts requests. */
  async openCounter(): Promise<FaultProxy> {
    const [port = 0] = await this.ports('zookeeper');
    const proxy = await FaultProxy.start(port, await this.#relayHost());
    this.#proxies.push(proxy);
    return proxy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const drivers = await settled([...this.#drivers.values()]);
    await Promise.all(drivers.flat().map((driver) => driver.stop()));
    await Promise.all(this.#proxies.map((proxy) => proxy.stop()));
    await (await this.#relays)?.stop();
    const servers = await settled([...this.#servers.values()]);
    await Promise.all(servers.map((server) => server.stop()));
  }

  async #startDrivers(contender: Contender, processes: number): Promise<Driver[]> {
    const servers = await this.#connectString(contender.backend);
    return Promise.all(Array.from({ length: processes }, () => contender.start(servers)));
  }

  /** The servers' addresses for the contenders of this place. */
  async #connectString(backend: Backend): Promise<string> {
    const ports = await this.ports(backend);
    if (this.place !== 'distant') return connectString(ports);
    const host = await this.#relayHost();
    const proxies = await Promise.all(ports.map((port) => FaultProxy.startBlind(port, host)));
    this.#proxies.push(...proxies);
    await Promise.all(proxies.map((proxy) => proxy.delay(ADDED_ROUND_TRIP_MS / 2)));
    return connectString(proxies.map(({ port }) => port));
  }

  #relayHost(): Promise<RelayHost> {
    this.#relays ??= RelayHost.start();
    return this.#relays;
  }
}

/** The servers and drivers that have started. */
async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
