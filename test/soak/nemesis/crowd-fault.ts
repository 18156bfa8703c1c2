import { FaultProxy } from '../../support/fault-proxy.js';
import { waitFor } from '../../support/wait-for.js';
import type { Violation } from '../history/history.js';
import { Crowd } from '../stage/crowd.js';
import type { Stage } from '../stage/stage.js';
import type { Fault } from './fault.js';

const SIZE = 1_000;
/** Longer than so many need to come back. */
const SESSION_TIMEOUT_MS = 30_000;

/** What became of the crowd of the latest round. */
let violations: Violation[] = [];

/** A network device restarts, and very many clients of many services come back in one moment. */
export const CROWD_FAULT: Fault = {
  name: `${SIZE} clients reconnect at once`,
  lasts: [0, 0],
  needs: ({ maxSessionTimeoutMs }) => maxSessionTimeoutMs >= SESSION_TIMEOUT_MS,
  inflict: async (stage) => {
    violations = [];
    const proxies = await proxiesOf(stage);
    const crowd = await Crowd.gather({
      size: SIZE,
      key: 'crowd',
      module: {
        ...stage.module,
        sessionTimeoutMs: SESSION_TIMEOUT_MS,
        servers: proxies.map(({ connectString }) => connectString).join(','),
      },
    });
    await Promise.all(proxies.map((proxy) => proxy.cut()));
    return async () => {
      await examine(crowd);
      await crowd.disperse();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    };
  },
  examine: async () => violations,
};

async function examine(crowd: Crowd): Promise<void> {
  const isBack = async (): Promise<boolean> => (await crowd.report()).reconnected === SIZE;
  const wait = { what: 'the crowd', timeoutMs: SESSION_TIMEOUT_MS, intervalMs: 200 };
  await waitFor(isBack, wait).catch(() => undefined);
  const { lost, reconnected } = await crowd.report();
  if (lost === 0 && reconnected === SIZE) return;
  const message = `of ${SIZE} clients ${reconnected} came back, and ${lost} lost their lock`;
  violations.push({ promise: 'liveness', message, kinds: [] });
}

function proxiesOf({ ensemble }: Stage): Promise<FaultProxy[]> {
  const { servers, relays } = ensemble;
  return Promise.all(servers.members.map(({ port }) => FaultProxy.start(port, relays)));
}
