import { DECORATOR_COLUMNS } from '../report/column.js';
import type { Workload } from './workload.js';

/** Uses a lock service that grants at once, so that only the code around it is measured. */
export const decorators: Workload = {
  name: 'decorator, without ZooKeeper',
  about:
    'What one call costs when the lock service grants at once: an async method by itself, inside `withLock`, under `@Locked`; and a handler’s Observable by itself and through `LockedInterceptor`.',
  place: 'standalone',
  columns: DECORATOR_COLUMNS,
  suits: ({ skills }) => skills.includes('decorators'),
  async open(stage, contender) {
    const [driver] = await stage.drivers(contender, 1);
    if (!driver) throw new Error(`no driver of ${contender.name}`);
    return async (seconds) => ({ ...(await driver.overhead(seconds)) });
  },
};
