import { Controller, type DynamicModule, Get, Inject, type ModuleMetadata } from '@nestjs/common';
import {
  HealthCheck,
  type HealthCheckResult,
  HealthCheckService,
  TerminusModule,
} from '@nestjs/terminus';
import { LockService } from 'nestjs-zk-lock';
import { ZkLockHealthIndicator, ZkLockHealthModule } from 'nestjs-zk-lock/health';
import { describe, expect, it } from 'vitest';
import { InspectClient } from '../support/inspect-client.js';
import { ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { openProxy } from '../support/open-proxy.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

@Controller('health')
class HealthController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(ZkLockHealthIndicator) private readonly zkLock: ZkLockHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.health.check([() => this.zkLock.isHealthy('zookeeper')]);
  }

  @Get('archive')
  @HealthCheck()
  archive(): Promise<HealthCheckResult> {
    return this.health.check([() => this.zkLock.isHealthy('archive', { connection: 'archive' })]);
  }
}

/** Terminus 11 has no status `degraded`. */
const whileAway =
  process.env.NEST === '11'
    ? { status: 503, zookeeper: { status: 'down' } }
    : { status: 200, zookeeper: { status: 'degraded' } };

const application = (...connections: ModuleMetadata['imports'] & object): ModuleMetadata => ({
  imports: [TerminusModule, ZkLockHealthModule, ...connections],
  controllers: [HealthController],
});

async function ask(url: string): Promise<{ status: number; zookeeper: Record<string, unknown> }> {
  const response = await fetch(url);
  const body = (await response.json()) as HealthCheckResult;
  return { status: response.status, zookeeper: body.details.zookeeper ?? {} };
}

describe('the health of the lock service', () => {
  it('is up while it is connected, with details and without credentials', async () => {
    const credentials = { username: 'user', password: 'secret' };
    const url = await apps.listen(application(apps.zkLock({ credentials, acl: 'open' })));
    const response = await fetch(`${url}/health`);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).not.toContain('secret');
    const { servers } = apps.options();
    const counts = { held: 0, waiting: 0 };
    const state = { state: 'connected', timeoutMs: 10_000, servers, connectedTo: servers };
    expect(JSON.parse(text)).toMatchObject({
      status: 'ok',
      details: { zookeeper: { status: 'up', ...state, ...counts } },
    });
  });

  it('is degraded or down while ZooKeeper is away, up again when it is back, and down once closed', async () => {
    const proxy = await openProxy();
    const servers = proxy.connectString;
    const app = await apps.start(application(apps.zkLock({ servers })));
    await app.listen(0, '127.0.0.1');
    const url = `${await app.getUrl()}/health`;
    expect(await ask(url)).toMatchObject({ status: 200, zookeeper: { status: 'up' } });

    await proxy.refuse();
    await proxy.cut();
    const suspended = await waitFor(
      async () => {
        const answer = await ask(url);
        return answer.zookeeper.problem !== undefined && answer;
      },
      { what: 'the reason why there is no connection' },
    );
    expect(suspended).toMatchObject(whileAway);
    expect(suspended.zookeeper.state).toBe('suspended');
    expect(suspended.zookeeper.problem).toMatch(
      /ECONN(REFUSED|RESET)|closed by the server|connection lost/,
    );
    expect(suspended.zookeeper).toMatchObject({ lastConnectedTo: servers });
    expect(suspended.zookeeper).not.toHaveProperty('connectedTo');

    await proxy.accept();
    const connected = await waitFor(
      async () => {
        const { zookeeper } = await ask(url);
        return zookeeper.status === 'up' && zookeeper;
      },
      { what: 'the session to be connected again' },
    );
    expect(connected).not.toHaveProperty('problem');

    const indicator = app.get(ZkLockHealthIndicator);
    await app.close();
    expect(indicator.isHealthy('zookeeper')).toMatchObject({
      zookeeper: { status: 'down', state: 'closed' },
    });
  });

  it('is down while ZooKeeper refuses the user of the credentials, whom it names, until a call succeeds', async () => {
    const root = ownRoot('billing:right');
    const of = (password: string): DynamicModule =>
      apps.zkLock({ client: 'wire', root, credentials: { username: 'billing', password } });
    const right = await apps.start(application(of('right')));
    await (await right.get(LockService).acquire('key')).release();

    const url = `${await apps.listen(application(of('guessed-0815')))}/health`;
    const answer = await ask(url);
    expect(answer).toMatchObject({
      status: 503,
      zookeeper: {
        status: 'down',
        state: 'connected',
        problem: expect.stringMatching(
          /^ZooKeeper refuses access to .* for the user "billing" \(digest\)\. Check the password/,
        ) as string,
      },
    });
    expect(JSON.stringify(answer)).not.toContain('guessed');
    await using inspector = await InspectClient.connect(sharedServer().connectString);
    await inspector.withAuth('digest', 'billing:right');
    await inspector.openToAll(root);
    await waitFor(async () => (await ask(url)).zookeeper.status === 'up', { what: 'access' });
  });

  it('is down while ZooKeeper refuses the node of a key, and up once that is corrected, without a call', async () => {
    const root = ownRoot();
    const app = await apps.start(application(apps.zkLock({ client: 'wire', root })));
    await app.listen(0, '127.0.0.1');
    const url = `${await app.getUrl()}/health`;
    const locks = app.get(LockService);
    const lock = await locks.acquire('key');
    await using inspector = await InspectClient.connect(sharedServer().connectString);
    await inspector.restrictTo(`${root}/key`, 'someone', 'secret');
    await expect(locks.acquire('key')).rejects.toMatchObject({ code: 'LOCK_ACCESS_DENIED' });
    expect(await ask(url)).toMatchObject({ status: 503, zookeeper: { status: 'down' } });

    await inspector.withAuth('digest', 'someone:secret');
    await inspector.openToAll(`${root}/key`);
    await waitFor(async () => (await ask(url)).zookeeper.status === 'up', { what: 'access' });
    await lock.release();
  });

  it('is asked for by the name of the connection', async () => {
    const url = await apps.listen(application(apps.zkLock({ name: 'archive' })));
    expect((await fetch(`${url}/health/archive`)).status).toBe(200);
    // There is no unnamed connection. This is a mistake, not a state of health.
    expect((await fetch(`${url}/health`)).status).toBe(500);
  });
});
