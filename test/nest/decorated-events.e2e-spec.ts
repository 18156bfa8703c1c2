import { Injectable } from '@nestjs/common';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { DECORATORS } from './support/decorators.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

let runs: string[];

beforeEach(() => (runs = []));

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

    it.each(['above', 'below'])(
      'runs when it is allowed to, decorated %s @Cron()',
      async (name) => {
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
      },
    );
  },
);
