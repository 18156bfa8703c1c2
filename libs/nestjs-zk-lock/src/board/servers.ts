import { lookup } from 'node:dns/promises';
import type { SessionSnapshot } from 'zk-locks';
import { formatAddress, parseConnectString } from 'zk-locks/inspect';
import type { BoardOverview } from './board-api.js';

/** The servers as they are configured. A session knows the one that it is connected to by its IP address. */
export class Servers {
  /** By the addresses that sessions know. */
  readonly #configured = new Map<string, string>();
  #resolved: string | undefined;

  /** @param onFound which server it is was found out */
  constructor(private readonly onFound: () => void) {}

  list({ state, servers, connectedTo }: SessionSnapshot): BoardOverview['servers'] {
    const addresses = parseConnectString(servers).servers.map(formatAddress);
    const connected = state.name === 'connected' ? connectedTo : undefined;
    const used = connected === undefined ? undefined : this.#find(addresses, connected);
    const listed =
      used === undefined || addresses.includes(used) ? addresses : [...addresses, used];
    return listed.map((address) => ({ address, isConnected: address === used }));
  }

  #find(addresses: readonly string[], connected: string): string {
    const [only] = addresses;
    if (addresses.includes(connected)) return connected;
    if (addresses.length === 1 && only !== undefined) return only;
    const known = this.#configured.get(connected);
    if (known !== undefined) return known;
    if (this.#resolved !== connected) void this.#resolve(addresses, connected);
    return connected;
  }

  async #resolve(addresses: readonly string[], connected: string): Promise<void> {
    this.#resolved = connected;
    this.#configured.clear();
    await Promise.allSettled(
      addresses.map(async (configured) => {
        const [server] = parseConnectString(configured).servers;
        if (!server) return;
        for (const { address } of await lookup(server.host, { all: true })) {
          this.#configured.set(formatAddress({ host: address, port: server.port }), configured);
        }
      }),
    );
    if (this.#configured.has(connected)) this.onFound();
  }
}
