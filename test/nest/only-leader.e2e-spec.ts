import {
  Controller,
  Inject,
  Injectable,
  Logger,
  type LoggerService,
  Module,
  type OnApplicationBootstrap,
  Post,
  Scope,
  type Type,
} from '@nestjs/common';
import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import {
  CurrentLock,
  type Lock,
  LockLostError,
  LockService,
  LockServiceClosedError,
  LockedSetupError,
  NotLeaderError,
  OnlyLeader,
  currentLock,
  getLockServiceToken,
} from 'nestjs-zk-lock';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { Gate } from './support/gate.js';
import { openRequest } from './support/open-request.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

let gate: Gate;
let runs: string[];
beforeEach(() => {
  gate = new Gate();
  runs = [];
});
afterEach(() => {
  gate.open();
});

@Injectable()
class Reports {
  @OnlyLeader('reports')
  async run(name: string): Promise<string> {
    runs.push(name);
    return `${name} by ${currentLock().key}`;
  }

  @OnlyLeader('reports', { onFollower: 'skip' })
  async tick(name: string): Promise<void> {
    runs.push(name);
  }

  @OnlyLeader('reports', { onFollower: 'skip' })
  async maybe(name: string): Promise<string | undefined> {
    return name;
  }

  @OnlyLeader('reports', { onFollower: async (name: string) => `${name} elsewhere` })
  async answered(name: string): Promise<string> {
    return `${name} here`;
  }

  @OnlyLeader('reports')
  async slow(): Promise<bigint> {
    const { fencingToken } = currentLock();
    await gate.pass();
    return fencingToken;
  }
}

async function start<T>(type: Type<T>, extra?: Parameters<typeof apps.zkLock>[0]) {
  const app = await apps.start({ imports: [apps.zkLock(extra)], providers: [type] });
  const locks = app.get(LockService);
  return { app, locks, election: locks.election('reports'), service: await app.resolve(type) };
}

/** Two replicas, of which the first leads. */
async function startPair<T>(type: Type<T>) {
  const leader = await start(type);
  await leader.election.whenLeader();
  const follower = await start(type);
  await apps.untilQueued(2);
  return { leader, follower };
}

describe('an @OnlyLeader() method', () => {
  it('runs where this process leads; elsewhere it throws, or is skipped', async () => {
    const { leader, follower } = await startPair(Reports);
    expect(await leader.service.run('a')).toBe('a by reports');
    await leader.service.tick('b');
    const refused = follower.service.run('c');
    await expect(refused).rejects.toThrow(NotLeaderError);
    await expect(refused).rejects.toMatchObject({ code: 'NOT_LEADER', key: 'reports' });
    await expect(follower.service.tick('d')).resolves.toBeUndefined();
    expect(runs).toEqual(['a', 'b']);

    await leader.election.resign();
    await follower.election.whenLeader();
    await follower.service.tick('e');
    await expect(leader.service.run('f')).rejects.toThrow(NotLeaderError);
    expect(runs).toEqual(['a', 'b', 'e']);
  });

  it('answers in place of a follower as `onFollower` says, also during the shutdown', async () => {
    const { leader, follower } = await startPair(Reports);
    expect(await leader.service.maybe('a')).toBe('a');
    expect(await follower.service.maybe('a')).toBeUndefined();
    expect(await leader.service.answered('a')).toBe('a here');
    expect(await follower.service.answered('a')).toBe('a elsewhere');
    await leader.app.close();
    expect(await leader.service.answered('a')).toBe('a elsewhere');
  });

  it('has a leader from the bootstrap on, before anybody calls it, and says whose it is', async () => {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Reports] });
    await apps.untilQueued(1);
    const { holders } = await app.get(LockService).inspect('reports');
    expect(holders[0]?.holder).toMatchObject({ label: 'Reports.run', pid: process.pid });
    expect(app.get(LockService).counts.held + app.get(LockService).counts.waiting).toBe(1);
  });

  it('joins on demand where it is called before that', async () => {
    const early: unknown[] = [];
    @Injectable()
    class Eager implements OnApplicationBootstrap {
      constructor(@Inject(Reports) private readonly reports: Reports) {}

      async onModuleInit(): Promise<void> {
        early.push(await this.reports.run('early').catch((error: unknown) => error));
      }

      async onApplicationBootstrap(): Promise<void> {
        await this.reports.tick('early');
      }
    }
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Reports, Eager] });
    expect(early[0]).toBeInstanceOf(NotLeaderError);
    const election = app.get(LockService).election('reports');
    await election.whenLeader();
    expect(await app.get(Reports).run('late')).toBe('late by reports');
    expect(await apps.lockNodes()).toHaveLength(1);
  });

  it.each<[kind: string, make: () => Type<{ run(): Promise<string> }>]>([
    [
      'request-scoped',
      () => {
        @Injectable({ scope: Scope.REQUEST })
        class RequestScoped {
          @OnlyLeader('reports')
          run(): Promise<string> {
            return Promise.resolve(currentLock().key);
          }
        }
        return RequestScoped;
      },
    ],
    [
      'transient',
      () => {
        @Injectable({ scope: Scope.TRANSIENT })
        class Transient {
          @OnlyLeader('reports')
          run(): Promise<string> {
            return Promise.resolve(currentLock().key);
          }
        }
        return Transient;
      },
    ],
    [
      'inherited',
      () => {
        class Base {
          @OnlyLeader('reports')
          run(): Promise<string> {
            return Promise.resolve(currentLock().key);
          }
        }
        @Injectable()
        class Derived extends Base {}
        return Derived;
      },
    ],
    [
      'overridden and called by super',
      () => {
        class Base {
          @OnlyLeader('reports')
          run(): Promise<string> {
            return Promise.resolve(currentLock().key);
          }
        }
        @Injectable()
        class Derived extends Base {
          override run(): Promise<string> {
            return super.run();
          }
        }
        return Derived;
      },
    ],
  ])('has a leader from the bootstrap on also when it is %s', async (_kind, make) => {
    const type = make();
    const app = await apps.start({ imports: [apps.zkLock()], providers: [type] });
    await apps.untilQueued(1);
    await app.get(LockService).election('reports').whenLeader();
    expect(await (await app.resolve(type)).run()).toBe('reports');
  });

  it('rejects with the loss after it has ended, and leads again by itself', async () => {
    const { service, election } = await start(Reports);
    const { signal, fencingToken } = await election.whenLeader();
    let settled = false;
    const slow = service.slow().finally(() => (settled = true));
    slow.catch(() => undefined);
    await apps.deleteLockNodes('reports');
    await waitFor(() => signal.aborted, { what: 'the loss' });
    const next = await election.whenLeader();
    expect(next.fencingToken).toBeGreaterThan(fencingToken);
    expect(settled).toBe(false);
    gate.open();
    await expect(slow).rejects.toThrow(LockLostError);
    expect(await service.run('after')).toBe('after by reports');
  });

  it('is not ended by a release of its lock, and nested calls join it', async () => {
    @Injectable()
    class Nested {
      constructor(
        @Inject(LockService) private readonly locks: LockService,
        @Inject(Reports) private readonly reports: Reports,
      ) {}

      @OnlyLeader('reports')
      async run(): Promise<void> {
        const lock = currentLock();
        await this.locks.withLock('reports', { timeoutMs: 0 }, ({ fencingToken }) => {
          expect(fencingToken).toBe(lock.fencingToken);
        });
        await this.locks.election('reports').resign();
        expect(await this.reports.run('nested')).toBe('nested by reports');
        await lock.release();
      }
    }
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Reports, Nested] });
    const election = app.get(LockService).election('reports');
    await election.whenLeader();
    await app.get(Nested).run();
    await election.whenLeader();
    await election.asLeader((lock) => lock.release());
    expect(election.isLeader).toBe(true);
  });

  it('passes on a NotLeaderError of its own work, also where followers skip it', async () => {
    @Injectable()
    class Outer {
      constructor(@Inject(LockService) private readonly locks: LockService) {}

      @OnlyLeader('reports', { onFollower: 'skip' })
      async run(): Promise<void> {
        await this.locks.election('other').asLeader(() => undefined);
      }
    }
    await using _other = await (await apps.replica()).acquire('other');
    const { service, election } = await start(Outer);
    await election.whenLeader();
    await expect(service.run()).rejects.toMatchObject({ code: 'NOT_LEADER', key: 'other' });
  });

  it('does not run without a ZkLockModule, nor without that of its connection', async () => {
    @Injectable()
    class Archive {
      @OnlyLeader('reports', { onFollower: 'skip', connection: 'archive' })
      async run(): Promise<void> {
        runs.push('archive');
      }
    }
    const bare = await apps.start({ providers: [Reports] });
    await expect(bare.get(Reports).tick('a')).rejects.toThrow(LockedSetupError);
    await expect(bare.get(Reports).tick('a')).rejects.toThrow(
      /it is @OnlyLeader\(\), and the application has no LockService\. Import/,
    );
    const other = apps.start({ imports: [apps.zkLock()], providers: [Archive] });
    await expect(other).rejects.toThrow(
      /Archive\.run cannot run: .*no LockService named "archive"/,
    );
    expect(runs).toEqual([]);
    expect(await apps.hasRoot()).toBe(false);
  });

  it('joins on the connection that it names, and on no other', async () => {
    @Injectable()
    class Archive {
      @OnlyLeader('archive', { connection: 'archive' })
      async run(): Promise<string> {
        return currentLock().key;
      }
    }
    const app = await apps.start({
      imports: [
        apps.zkLock({ root: `${apps.root}/main` }),
        apps.zkLock({ root: `${apps.root}/archive`, name: 'archive' }),
      ],
      providers: [Reports, Archive],
    });
    await apps.untilQueued(2);
    const keys = (await apps.lockNodes()).map((node) => node.split('/').slice(0, 2).join('/'));
    expect(keys.sort()).toEqual(['archive/archive', 'main/reports']);
    const archive = app.get<LockService>(getLockServiceToken('archive'));
    await archive.election('archive').whenLeader();
    expect(await app.get(Archive).run()).toBe('archive');
  });

  it('belongs to the application that built its object', async () => {
    const [here, there] = [
      await start(Reports, { root: `${apps.root}/here` }),
      await start(Reports, { root: `${apps.root}/there` }),
    ];
    await Promise.all([here.election.whenLeader(), there.election.whenLeader()]);
    await here.app.close();
    await expect(here.service.run('here')).rejects.toThrow(LockServiceClosedError);
    expect(await there.service.run('there')).toBe('there by reports');
  });

  it('starts without ZooKeeper where it is lazy, as a follower, and leads once it is there', async () => {
    const proxy = await FaultProxy.start(sharedServer().port);
    onTestFinished(() => proxy.stop());
    await proxy.refuse();
    const { service, election } = await start(Reports, {
      servers: proxy.connectString,
      lazy: true,
    });
    await service.tick('before');
    await expect(service.run('before')).rejects.toThrow(NotLeaderError);
    await proxy.accept();
    await election.whenLeader();
    await service.tick('after');
    expect(runs).toEqual(['after']);
  });
});

describe('an @OnlyLeader() @Cron() job', () => {
  @Injectable()
  class Jobs {
    @OnlyLeader('reports', { onFollower: 'skip' })
    @Cron('0 0 1 1 *', { name: 'above' })
    async above(): Promise<void> {
      runs.push('above');
    }

    @Cron('0 0 1 1 *', { name: 'below' })
    @OnlyLeader('reports', { onFollower: 'skip' })
    async below(): Promise<void> {
      runs.push('below');
    }
  }

  it('runs in one replica, in either order of the decorators', async () => {
    const replica = () =>
      apps.start({
        imports: [apps.zkLock(), ScheduleModule.forRoot()],
        providers: [Jobs],
      });
    const leader = await replica();
    await leader.get(LockService).election('reports').whenLeader();
    const follower = await replica();
    for (const app of [leader, follower]) {
      for (const [name] of app.get(SchedulerRegistry).getCronJobs()) {
        await app.get(SchedulerRegistry).getCronJob(name).fireOnTick();
      }
    }
    await waitFor(() => runs.length > 1, { what: 'the jobs to run' });
    expect(runs.toSorted()).toEqual(['above', 'below']);
  });
});

describe('an @OnlyLeader() handler', () => {
  @Controller('reports')
  class ReportsController {
    @Post()
    @OnlyLeader('reports')
    async run(@CurrentLock() lock: Lock): Promise<object> {
      lock.assertHeld();
      return { key: lock.key, same: lock === currentLock() };
    }

    @OnlyLeader('reports', { onFollower: 'skip' })
    @Post('tick')
    async tick(): Promise<void> {
      runs.push('tick');
    }
  }

  it('answers 503 with Retry-After where another replica leads', async () => {
    const metadata = { imports: [apps.zkLock()], controllers: [ReportsController] };
    const leader = await apps.start(metadata);
    await leader.get(LockService).election('reports').whenLeader();
    const follower = await apps.start(metadata);
    await apps.untilQueued(2);
    const [there, here] = [leader, follower].map((app) => app.getHttpServer() as Server);

    await request(there!).post('/reports').expect(201, { key: 'reports', same: true });
    const refused = await request(here!).post('/reports').expect(503);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.body).toMatchObject({ statusCode: 503, code: 'NOT_LEADER' });
    expect(JSON.stringify(refused.body)).not.toContain('reports');
    await request(here!).post('/reports/tick').expect(201);
    expect(runs).toEqual([]);
  });
});

describe('closing the application of a leader', () => {
  it('hands over at once, and skips or refuses what is called after that', async () => {
    const { leader, follower } = await startPair(Reports);
    const closed = leader.app.close();
    await follower.election.whenLeader();
    await leader.service.tick('a');
    await expect(leader.service.run('b')).rejects.toThrow(LockServiceClosedError);
    await closed;
    await follower.service.tick('c');
    expect(runs).toEqual(['c']);
  });

  it('hands over while the server still waits for open requests', async () => {
    @Controller()
    class Uploads {
      @Post('upload')
      async upload(): Promise<string> {
        await gate.pass();
        return 'done';
      }
    }
    const metadata = { imports: [apps.zkLock()], controllers: [Uploads], providers: [Reports] };
    const app = await apps.start(metadata);
    await app.get(LockService).election('reports').whenLeader();
    const follower = await start(Reports);
    await app.listen(0, '127.0.0.1');
    const { answer } = openRequest(`${await app.getUrl()}/upload`);
    await waitFor(() => gate.arrivals === 1, { what: 'the request' });
    const closed = app.close();
    await follower.election.whenLeader();
    gate.open();
    expect(await answer.catch((error: unknown) => error)).toBeDefined();
    await closed;
  });

  it('lets a method that runs finish first', async () => {
    const { leader, follower } = await startPair(Reports);
    const slow = leader.service.slow();
    await waitFor(() => gate.arrivals === 1, { what: 'the method to run' });
    const closed = leader.app.close();
    await waitFor(() => !leader.election.isLeader, { what: 'the term to end' });
    await waitFor(
      async () => (await follower.election.participants({ linearizable: true })).leader,
      { what: 'a look at the queue' },
    );
    expect(follower.election.isLeader).toBe(false);
    gate.open();
    expect(await slow).toBeTypeOf('bigint');
    await closed;
    await follower.election.whenLeader();
  });

  it('leaves neither a warning nor an error in the log, leading or waiting', async () => {
    const lines: string[] = [];
    const note =
      (level: string) =>
      (message: unknown): void =>
        void lines.push(`${level} ${String(message)}`);
    const logger: LoggerService = {
      log: () => undefined,
      warn: note('warn'),
      error: note('error'),
      fatal: note('fatal'),
    };
    @Module({ imports: [apps.zkLock()], providers: [Reports] })
    class AppModule {}
    const contexts = [
      await NestFactory.createApplicationContext(AppModule, { logger }),
      await NestFactory.createApplicationContext(AppModule, { logger }),
    ];
    onTestFinished(() => {
      Logger.overrideLogger(false);
    });
    await apps.untilQueued(2);
    await Promise.race(
      contexts.map((context) => context.get(LockService).election('reports').whenLeader()),
    );
    for (const context of contexts) await context.close();
    expect(lines).toEqual([]);
  });
});
