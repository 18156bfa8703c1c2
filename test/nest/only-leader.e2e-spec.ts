import {
  Controller,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnApplicationBootstrap,
  Post,
  type Type,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  LockService,
  ZkClosedError,
  NotLeaderError,
  OnlyLeader,
  currentLock,
} from 'nestjs-zk-lock';
import { beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { useGate } from './support/gate.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

const gate = useGate();
let runs: string[];
beforeEach(() => (runs = []));

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

  @OnlyLeader('reports', { onFollower: async (name: string) => `${name} elsewhere` })
  async answered(name: string): Promise<string> {
    return `${name} here`;
  }
}

async function start<T>(type: Type<T>, extra?: Parameters<typeof apps.zkLock>[0]) {
  const app = await apps.start({ imports: [apps.zkLock(extra)], providers: [type] });
  const locks = app.get(LockService);
  return { app, locks, election: locks.election('reports'), service: await app.resolve(type) };
}

/** Two replicas, the first of which leads. */
async function startPair<T>(type: Type<T>) {
  const leader = await start(type);
  await leader.election.whenLeader();
  const follower = await start(type);
  await apps.untilQueued(2);
  return { leader, follower };
}

describe('@OnlyLeader: a method of a provider', () => {
  it('joins on demand if it is called before that', async () => {
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
});

/** Nest keeps the classes in such decorators apart from its providers. */
it.each([
  ['guard', UseGuards],
  ['pipe', UsePipes],
  ['interceptor', UseInterceptors],
])(
  '@OnlyLeader: an enhancer (%s) takes part from bootstrap on, without a call',
  async (_kind, use) => {
    @Injectable()
    class Enhancer {
      @OnlyLeader('reports')
      async run(): Promise<void> {}
    }
    @Controller()
    class Uploads {}
    use(Enhancer as never)(Uploads);
    await apps.start({ imports: [apps.zkLock()], controllers: [Uploads] });
    await apps.untilQueued(1);
  },
);

it('@OnlyLeader: middleware, and objects created by moduleRef.create(), take part from bootstrap on', async () => {
  @Injectable()
  class Audit {
    @OnlyLeader('audit')
    async run(): Promise<void> {}

    use(_request: unknown, _response: unknown, next: () => void): void {
      next();
    }
  }
  const created = {
    provide: Reports,
    inject: [ModuleRef],
    useFactory: (moduleRef: ModuleRef) => moduleRef.create(Reports),
  };
  @Module({ imports: [apps.zkLock()], providers: [created] })
  class Root implements NestModule {
    configure(consumer: MiddlewareConsumer): void {
      consumer.apply(Audit).forRoutes('*path');
    }
  }
  await apps.start({ imports: [Root] });
  await apps.untilQueued(2);
  const nodes = await apps.lockNodes();
  expect(nodes.map((node) => node.split('/')[0])).toEqual(['audit', 'reports']);
});

describe('@OnlyLeader: closing the application of a leader', () => {
  it('hands over at once, and skips, answers or refuses later calls', async () => {
    const { leader, follower } = await startPair(Reports);
    const closed = leader.app.close();
    await follower.election.whenLeader();
    await leader.service.tick('a');
    await expect(leader.service.run('b')).rejects.toThrow(ZkClosedError);
    expect(await leader.service.answered('b')).toBe('b elsewhere');
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
    // Otherwise the connection would stay open after the answer.
    const request = { method: 'POST', headers: { connection: 'close' } };
    const answer = fetch(`${await app.getUrl()}/upload`, request).then((response) =>
      response.text(),
    );
    await waitFor(() => gate.arrivals === 1, { what: 'the request' });
    const closed = app.close();
    await follower.election.whenLeader();
    gate.open();
    expect(await answer).toBe('done');
    await closed;
  });
});
