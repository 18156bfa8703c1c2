import { readFileSync } from 'node:fs';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { LockService } from 'nestjs-zk-lock';
import { expect, it, vi } from 'vitest';
import { codeIn } from '../support/documentation.js';
import { waitFor } from '../support/wait-for.js';
import { ReportService, Reports } from './examples/report.service.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();
const url = (path: string): URL => new URL(path, import.meta.url);

it('docs/nest.md has a @Cron() job that runs in one replica, and is skipped in another one whose clock lags', async () => {
  const example = readFileSync(url('examples/report.service.ts'), 'utf8');
  expect(codeIn(url('../../docs/nest.md'))).toContain(example);
  const make = vi.fn(async (_signal: AbortSignal) => Promise.resolve());
  const providers = [ReportService, { provide: Reports, useValue: { make } }];
  const imports = [ScheduleModule.forRoot(), apps.zkLock()];
  const first = await apps.start({ imports, providers });
  const second = await apps.start({ imports, providers });
  await first.get(SchedulerRegistry).getCronJob('report').fireOnTick();
  await waitFor(() => make.mock.calls.length === 1, { what: 'the report to be made' });
  // `minHoldMs` keeps the lock after the job has ended.
  await second.get(SchedulerRegistry).getCronJob('report').fireOnTick();
  await waitFor(() => second.get(LockService).counts.skipped === 1, { what: 'it to be skipped' });
  expect(make).toHaveBeenCalledOnce();
});
