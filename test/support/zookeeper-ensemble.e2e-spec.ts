import { afterEach, describe, expect, it } from 'vitest';
import { InspectClient } from './inspect-client.js';
import { FaultProxy } from './fault-proxy.js';
import { waitFor } from './wait-for.js';
import { ZooKeeperEnsemble } from './zookeeper-ensemble.js';

describe('ZooKeeperEnsemble', () => {
  let ensemble: ZooKeeperEnsemble | undefined;
  const proxies: FaultProxy[] = [];

  afterEach(async () => {
    await ensemble?.stop();
    await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
  });

  it('has a leader and two followers, and elects another leader', async () => {
    ensemble = await ZooKeeperEnsemble.start({ tickTimeMs: 200 });
    const first = await ensemble.leader();
    await expect(ensemble.followers()).resolves.toHaveLength(2);

    await first.kill();
    const second = await ensemble.leader();
    expect(second).not.toBe(first);

    await first.restart();
    await expect(first.mode()).resolves.toBe('follower');
  });

  it.each([{ observerMaster: false }, { observerMaster: true }])(
    'has observers that see what members write: %o',
    async ({ observerMaster }) => {
      const options = { tickTimeMs: 200, observers: 1, observerMaster };
      ensemble = await ZooKeeperEnsemble.start(options);
      const [observer] = ensemble.observers;
      await expect(observer!.mode()).resolves.toBe('observer');
      const followers = await ensemble.followers();
      const observed = await Promise.all(followers.map((server) => server.fourLetterWord('mntr')));
      const masters = observed.filter((lines) => /zk_synced_observers\s+1/.test(lines));
      expect(masters).toHaveLength(observerMaster ? 1 : 0);

      await using client = await InspectClient.connect(observer!.connectString);
      await client.create('/seen');
      await expect(client.exists('/seen')).resolves.toBeDefined();
    },
  );

  it('lets the link between a follower and its leader be frozen', async () => {
    const links = new Map<string, FaultProxy>();
    ensemble = await ZooKeeperEnsemble.start({
      tickTimeMs: 200,
      syncLimit: 50,
      routeQuorumLink: async ({ from, to, port }) => {
        const proxy = await FaultProxy.startBlind(port);
        proxies.push(proxy);
        links.set(`${String(from)}-${String(to)}`, proxy);
        return proxy.port;
      },
    });
    const leader = await ensemble.leader();
    const [follower, other] = await ensemble.followers();
    const link = links.get(`${String(ensemble.idOf(follower!))}-${String(ensemble.idOf(leader))}`);
    await using atFollower = await InspectClient.connect(follower!.connectString);
    await using elsewhere = await InspectClient.connect(other!.connectString);

    await link!.freeze();
    await elsewhere.create('/news');
    await expect(atFollower.exists('/news')).resolves.toBeUndefined();
    await link!.thaw();
    await waitFor(() => atFollower.exists('/news'), { what: 'the news at the follower' });
  });
});
