import { Injectable } from '@nestjs/common';
import {
  Locked,
  LockedDecoratorError,
  type LockedOptions,
  LockedSetupError,
  LockService,
} from 'nestjs-zk-lock';
import { expect, it, vi } from 'vitest';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();
const EVERY = { atMostEveryMs: 3_600_000 };

/** Two replicas of an application with a job. */
async function openReplicas(options: LockedOptions = {}) {
  let runs = 0;
  @Injectable()
  class Jobs {
    @Locked('job', { ...EVERY, ...options } as object)
    async run(asked = 'run'): Promise<string | undefined> {
      runs++;
      return Promise.resolve(asked);
    }
  }
  const metadata = () => ({ imports: [apps.zkLock()], providers: [Jobs] });
  const replicas = [await apps.start(metadata()), await apps.start(metadata())];
  const jobs = replicas.map((app) => app.get(Jobs));
  return { jobs, runs: () => runs };
}

it('runs a method once per period across all replicas', async () => {
  const { jobs, runs } = await openReplicas();
  const answers = await Promise.all([...jobs, ...jobs].map((job) => job.run()));
  expect(answers.filter((answer) => answer === 'run')).toHaveLength(1);
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(3);
  expect(runs()).toBe(1);
  const locks = await apps.replica();
  expect(await locks.lastRun('job')).toMatchObject({ pid: process.pid, outcome: 'done' });
  expect(await apps.lockNodes()).toEqual([]);
});

it('passes on how its lock is released', async () => {
  class Jobs {
    @Locked('job', { ...EVERY, release: 'background' })
    async run(): Promise<string | undefined> {
      return Promise.resolve('run');
    }
  }
  const app = await apps.start({ imports: [apps.zkLock()], providers: [Jobs] });
  const ran = vi.spyOn(app.get(LockService), 'runAtMostEvery');
  expect(await app.get(Jobs).run()).toBe('run');
  expect(ran.mock.calls[0]?.[2]).toMatchObject({ release: 'background' });
});

it.each<[string, unknown, LockedOptions, string]>([
  ['a template', 'job:{0}', {}, 'needs one fixed key'],
  ['a function', () => 'job', {}, 'needs one fixed key'],
  ['several keys', ['a', 'b'], {}, 'needs one fixed key'],
  ['readers', 'job', { mode: 'read' }, "Omit mode: 'read'"],
  ['a lock that is kept', 'job', { minHoldMs: 5_000 }, 'Omit `minHoldMs`'],
  ['a lock of the section around it', 'job', { reentrant: true }, 'Omit `reentrant`'],
  ['no time', 'job', { atMostEveryMs: 0 }, '`atMostEveryMs` must be an integer from 1'],
])('is refused with %s', (_, key, options, message) => {
  const decorate = (): unknown => {
    class Jobs {
      @Locked(key as string, { ...EVERY, ...options } as object)
      async run(): Promise<void> {
        return Promise.resolve();
      }
    }
    return Jobs;
  };
  expect(decorate).toThrow(LockedDecoratorError);
  expect(decorate).toThrow(message);
});

it('is refused at the start with the client `native`', async () => {
  @Injectable()
  class Jobs {
    @Locked('job', EVERY)
    async run(): Promise<void> {
      return Promise.resolve();
    }
  }
  const starting = apps.start({ imports: [apps.zkLock({ client: 'native' })], providers: [Jobs] });
  await expect(starting).rejects.toThrow(LockedSetupError);
  await expect(starting).rejects.toThrow('Jobs.run cannot run: its option `atMostEveryMs`');
});
