import { onTestFinished } from 'vitest';
import { FaultProxy, RelayHost } from './fault-proxy.js';
import { sharedServer } from './shared-server.js';

/**
 * Shared by all proxies of this process. `server.setup.ts` loads this file early, before npm
 * `zookeeper` closes a file descriptor but keeps polling it: the pipes to the relay process could
 * otherwise get that descriptor.
 */
const relays = await RelayHost.start();

/** A proxy to a server, by default the shared one, stopped after the test. */
export async function openProxy(port = sharedServer().port): Promise<FaultProxy> {
  return own(await FaultProxy.start(port, relays));
}

/** Like {@link openProxy}, to a port with another protocol. */
export async function openBlindProxy(port: number): Promise<FaultProxy> {
  return own(await FaultProxy.startBlind(port, relays));
}

function own(proxy: FaultProxy): FaultProxy {
  onTestFinished(() => proxy.stop());
  return proxy;
}
