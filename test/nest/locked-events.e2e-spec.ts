import { Controller, Injectable, ParseIntPipe, type Type } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import {
  type ClientProxy,
  ClientProxyFactory,
  MessagePattern,
  Payload,
  Transport,
} from '@nestjs/microservices';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { CurrentLock, type Lock, Locked, OnlyLeader, currentLock } from 'nestjs-zk-lock';
import { Observable, concat, firstValueFrom, lastValueFrom, of, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { waitFor } from '../support/wait-for.js';
import { Gate } from './support/gate.js';
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

async function runUnderLock(): Promise<void> {
  runs.push(currentLock().key);
  await gate.pass();
}

/** Two runs are asked for; the second one waits for its lock until the first one is done. */
async function expectOneRunAtATime(): Promise<void> {
  await waitFor(() => runs.length > 0, { what: 'one to run' });
  await apps.untilQueued(2);
  expect(runs).toHaveLength(1);
  gate.open();
  await apps.untilQueued(0);
  await waitFor(() => runs.length === 2, { what: 'both to have run' });
}

describe('a @Locked() @Cron() job', () => {
  @Injectable()
  class Jobs {
    @Locked('above')
    @Cron('0 0 1 1 *', { name: 'above' })
    async above(): Promise<void> {
      await runUnderLock();
    }

    @Cron('0 0 1 1 *', { name: 'below' })
    @Locked('below')
    async below(): Promise<void> {
      await runUnderLock();
    }
  }

  it.each(['above', 'below'])(
    'runs on one replica at a time, with @Locked() %s @Cron()',
    async (name) => {
      const imports = [ScheduleModule.forRoot(), apps.zkLock()];
      const replicas = await Promise.all(
        [1, 2].map(() => apps.start({ imports, providers: [Jobs] })),
      );
      for (const app of replicas) void app.get(SchedulerRegistry).getCronJob(name).fireOnTick();
      await expectOneRunAtATime();
      expect(runs).toEqual([name, name]);
    },
  );
});

describe('a @Locked() @OnEvent() listener', () => {
  @Injectable()
  class Listener {
    @Locked('event:{0.id}')
    @OnEvent('above')
    async above(_event: { id: number }): Promise<void> {
      await runUnderLock();
    }

    @OnEvent('below')
    @Locked('event:{0.id}')
    async below(_event: { id: number }): Promise<void> {
      await runUnderLock();
    }
  }

  it.each(['above', 'below'])(
    'handles one event of a key at a time, with @Locked() %s @OnEvent()',
    async (name) => {
      const imports = [EventEmitterModule.forRoot(), apps.zkLock()];
      const app = await apps.start({ imports, providers: [Listener] });
      app.get(EventEmitter2).emit(name, { id: 7 });
      app.get(EventEmitter2).emit(name, { id: 7 });
      await expectOneRunAtATime();
      expect(runs).toEqual(['event:7', 'event:7']);
    },
  );
});

describe('a @Locked() @MessagePattern() handler', () => {
  @Controller()
  class Messages {
    @Locked('order:{0}')
    @MessagePattern('above')
    async above(@Payload(ParseIntPipe) id: number): Promise<number> {
      await runUnderLock();
      return id + 1;
    }

    @MessagePattern('below')
    @Locked('order:{0}')
    async below(@Payload(ParseIntPipe) id: number, @CurrentLock() lock: Lock): Promise<number> {
      lock.assertHeld();
      await runUnderLock();
      return id + 1;
    }

    @MessagePattern('impatient')
    @Locked('order', { timeoutMs: 0 })
    impatient(): Promise<void> {
      return runUnderLock();
    }

    @MessagePattern('stream')
    @Locked('order')
    stream(): Observable<string> {
      return concat(of(currentLock().key), of('done'));
    }
  }

  let client: ClientProxy | undefined;
  afterEach(async () => {
    await client?.close();
    client = undefined;
  });

  async function connect(controller: Type = Messages): Promise<ClientProxy> {
    const options = { host: '127.0.0.1', port: await freePort() };
    const app = await apps.start({ imports: [apps.zkLock()], controllers: [controller] });
    app.connectMicroservice({ transport: Transport.TCP, options });
    await app.startAllMicroservices();
    client = ClientProxyFactory.create({ transport: Transport.TCP, options });
    return client;
  }

  it('answers with the code of the error where only the leader may handle it', async () => {
    @Controller()
    class Draws {
      @MessagePattern('draw')
      @OnlyLeader('draw')
      draw(): Promise<string> {
        return Promise.resolve(currentLock().key);
      }
    }
    await using election = (await apps.replica()).election('draw');
    await election.whenLeader();
    const messages = await connect(Draws);
    await expect(firstValueFrom(messages.send('draw', 1))).rejects.toMatchObject({
      code: 'NOT_LEADER',
    });
  });

  it.each(['above', 'below'])(
    'handles one message of a key at a time, with @Locked() %s @MessagePattern()',
    async (pattern) => {
      const messages = await connect();
      const answers = ['7', '7'].map((id) => firstValueFrom(messages.send(pattern, id)));
      await expectOneRunAtATime();
      expect(await Promise.all(answers)).toEqual([8, 8]);
    },
  );

  it('answers with the code of the lock error', async () => {
    const messages = await connect();
    await using _lock = await (await apps.replica()).acquire('order');
    const answer = firstValueFrom(messages.send('impatient', {}));
    await expect(answer).rejects.toEqual({
      status: 'error',
      message: 'The resource is in use by another operation. Try again later.',
      code: 'LOCK_TIMEOUT',
    });
  });

  it('may stream its answer', async () => {
    const messages = await connect();
    const answer = lastValueFrom(messages.send<string>('stream', {}).pipe(toArray()));
    expect(await answer).toEqual(['order', 'done']);
    expect(await apps.lockNodes()).toEqual([]);
  });
});
