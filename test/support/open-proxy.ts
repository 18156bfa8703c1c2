import { onTestFinished } from 'vitest';
import { FaultProxy } from './fault-proxy.js';
import { sharedServer } from './shared-server.js';

/** A proxy to a server, by default the shared one, stopped after the test. */
export async function openProxy(port = sharedServer().port): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(port);
  onTestFinished(() => proxy.stop());
  return proxy;
}
