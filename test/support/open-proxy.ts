import { onTestFinished } from 'vitest';
import { FaultProxy } from './fault-proxy.js';
import { sharedServer } from './shared-server.js';

/** Stands before a server, the shared one unless told otherwise, until the test is over. */
export async function openProxy(port = sharedServer().port): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(port);
  onTestFinished(() => proxy.stop());
  return proxy;
}
