import { Controller, Injectable, ParseIntPipe, type Type } from '@nestjs/common';
import {
  type ClientProxy,
  ClientProxyFactory,
  MessagePattern,
  type MicroserviceOptions,
  Payload,
  Transport,
} from '@nestjs/microservices';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { CurrentLock, type Lock, Locked, currentLock } from 'nestjs-zk-lock';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { waitFor } from '../support/wait-for.js';
import { DECORATORS } from './support/decorators.js';
import { useGate } from './support/gate.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

/** What callers are told. */
const REFUSALS = {
  LOCK_TIMEOUT: 'The resource is in use by another operation. Try again later.',
  NOT_LEADER: 'Another instance of the service does this. Try again.',
};

const gate = useGate();
let runs: string[];

beforeEach(() => (runs = []));

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

describe.each(DECORATORS)(
  '%s: a @Cron() job',
  (_name, { decorate, current, occupy, ready, nodesAtRest }) => {
    const instead = () => runs.push('busy');

    @Injectable()
    class Jobs {
      @decorate('job', { instead })
      @Cron('0 0 1 1 *', { name: 'above' })
      async above(): Promise<unknown> {
        return Promise.resolve(runs.push(current().key));
      }

      @Cron('0 0 1 1 *', { name: 'below' })
      @decorate('job', { instead })
      async below(): Promise<unknown> {
        return Promise.resolve(runs.push(current().key));
      }
    }

    it.each(['above', 'below'])('runs when it may, decorated %s @Cron()', async (name) => {
      const inTheWay = await occupy(await apps.replica(), 'job');
      const imports = [ScheduleModule.forRoot(), apps.zkLock()];
      const app = await apps.start({ imports, providers: [Jobs] });
      const job = app.get(SchedulerRegistry).getCronJob(name);
      await job.fireOnTick();
      await waitFor(() => runs.length > 0, { what: 'the job to be refused' });
      await inTheWay[Symbol.asyncDispose]();
      await ready(app, 'job');
      await job.fireOnTick();
      await waitFor(() => runs.length > 1, { what: 'the job to run' });
      expect(runs).toEqual(['busy', 'job']);
      await apps.untilQueued(nodesAtRest);
    });
  },
);

describe('@Locked: a @MessagePattern() handler of an application without HTTP', () => {
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
  }

  let close: () => Promise<unknown>;
  afterEach(() => close());

  async function connect(controller: Type = Messages): Promise<ClientProxy> {
    const options = { host: '127.0.0.1', port: await freePort() };
    const metadata = { imports: [apps.zkLock()], controllers: [controller] };
    const module = await Test.createTestingModule(metadata).compile();
    const server = { transport: Transport.TCP, options } as const;
    const app = module.createNestMicroservice<MicroserviceOptions>(server);
    await app.listen();
    const client = ClientProxyFactory.create({ transport: Transport.TCP, options });
    close = () => Promise.all([client.close(), app.close()]);
    return client;
  }

  it.each(['above', 'below'])(
    'handles one message of a key at a time, with @Locked() %s @MessagePattern()',
    async (pattern) => {
      const messages = await connect();
      const answers = ['7', '7'].map((id) => firstValueFrom(messages.send(pattern, id)));
      await expectOneRunAtATime();
      expect(await Promise.all(answers)).toEqual([8, 8]);
    },
  );

  it.each(DECORATORS)(
    'answers with the code of the error where %s is busy',
    async (_name, { decorate, occupy, busyCode }) => {
      @Controller()
      class Impatient {
        @MessagePattern('run')
        @decorate('job', { timeoutMs: 0 })
        run(): Promise<void> {
          return runUnderLock();
        }
      }
      await using _inTheWay = await occupy(await apps.replica(), 'job');
      const messages = await connect(Impatient);
      await expect(firstValueFrom(messages.send('run', {}))).rejects.toEqual({
        status: 'error',
        message: REFUSALS[busyCode],
        code: busyCode,
      });
      expect(runs).toEqual([]);
    },
  );
});
