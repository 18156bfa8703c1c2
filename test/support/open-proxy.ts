import { onTestFinished } from 'vitest';
import { FaultProxy, RelayHost } from './fault-proxy.js';
import { sharedServer } from './shared-server.js';

/**
 * For all proxies of this process, which need not start one each. `server.setup.ts` loads this file
 * before npm `zookeeper` has closed a file descriptor, which the pipes would get otherwise: it goes
 * on polling those.
 */
const relays = await RelayHost.start();

/** A proxy to a server, by default the shared one, stopped after the test. */
export async function openProxy(port = sharedServer().port): Promise<FaultProxy> {
  return own(await FaultProxy.start(port, relays));
}

/** As {@link openProxy}, to a port where another protocol is spoken. */
export async function openBlindProxy(port: number): Promise<FaultProxy> {
  return own(await FaultProxy.startBlind(port, relays));
}

function own(proxy: FaultProxy): FaultProxy {
  onTestFinished(() => proxy.stop());
  return proxy;
}
