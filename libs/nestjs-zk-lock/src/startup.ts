import { ZkClosedError } from 'zk-locks';
import type { LockService } from './lock.service.js';

/** For each application, the lock services that it has started; undefined once it has failed to start. */
const started = new WeakMap<object, Set<LockService> | undefined>();

/**
 * A step of the start of an application. If it fails, all lock services of the application are
 * closed: Nest runs no hooks then, and often gives its caller no application to close.
 *
 * @param application the same object for everything in the application, such as Nest's container of
 * modules
 */
export async function orCloseAll<T>(
  application: object,
  step: (add: (service: LockService) => void) => T | Promise<T>,
): Promise<T> {
  const services = started.has(application) ? started.get(application) : new Set<LockService>();
  if (!services) throw new ZkClosedError();
  started.set(application, services);
  try {
    return await step((service) => services.add(service));
  } catch (error) {
    started.set(application, undefined);
    await Promise.all([...services].map((service) => service.close()));
    throw error;
  }
}
