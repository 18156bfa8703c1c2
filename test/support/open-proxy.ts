import { onTestFinished } from 'vitest';
import { FaultProxy } from './fault-proxy.js';
import { sharedServer } from './shared-server.js';

/** Stands before the shared server until the test is over. */
export async function openProxy(): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  return proxy;
}
