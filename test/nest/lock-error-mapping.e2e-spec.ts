import type { ServerResponse } from 'node:http';
import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  ConflictException,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpException,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { APP_FILTER, ExternalContextCreator } from '@nestjs/core';
import { LockTimeoutError, Locked } from 'nestjs-zk-lock';
import { type Observable, catchError, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

@Injectable()
class Conflicts implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        catchError((error: unknown) =>
          throwError(() => (error instanceof LockTimeoutError ? new ConflictException() : error)),
        ),
      );
  }
}

@Controller()
class Reports {
  @Get('report')
  @Locked('report', { timeoutMs: 0 })
  report(): Promise<string> {
    return Promise.resolve('done');
  }

  @Get('above')
  @UseInterceptors(Conflicts)
  @Locked('report', { timeoutMs: 0 })
  above(): Promise<string> {
    return Promise.resolve('done');
  }

  @Get('below')
  @Locked('report', { timeoutMs: 0 })
  @UseInterceptors(Conflicts)
  below(): Promise<string> {
    return Promise.resolve('done');
  }
}

@Catch()
class Everything implements ExceptionFilter {
  seen: unknown[] = [];

  catch(exception: unknown, host: ArgumentsHost): void {
    this.seen.push(exception);
    host.switchToHttp().getResponse<ServerResponse>().writeHead(418).end();
  }
}

describe('a lock error that leaves a handler', () => {
  it('reaches the application’s own filters as an exception that names its cause', async () => {
    const filter = new Everything();
    const url = await apps.listen({
      imports: [apps.zkLock()],
      controllers: [Reports],
      providers: [{ provide: APP_FILTER, useValue: filter }],
    });
    await using _lock = await (await apps.replica()).acquire('report');
    expect((await fetch(`${url}/report`)).status).toBe(418);
    const [exception] = filter.seen as HttpException[];
    expect(exception).toBeInstanceOf(HttpException);
    expect(exception?.getStatus()).toBe(423);
    expect(exception?.cause).toBeInstanceOf(LockTimeoutError);
    expect((exception?.cause as LockTimeoutError).key).toBe('report');
  });

  it('is unchanged if `mapErrors` is off', async () => {
    const filter = new Everything();
    const url = await apps.listen({
      imports: [apps.zkLock({ mapErrors: false })],
      controllers: [Reports],
      providers: [{ provide: APP_FILTER, useValue: filter }],
    });
    await using _lock = await (await apps.replica()).acquire('report');
    const response = await fetch(`${url}/report`);
    expect(response.headers.has('retry-after')).toBe(false);
    expect(filter.seen).toEqual([expect.any(LockTimeoutError)]);
  });

  it.each(['above', 'below'])(
    'is the handler’s own interceptor’s to map, when that stands %s @Locked()',
    async (path) => {
      const url = await apps.listen({ imports: [apps.zkLock()], controllers: [Reports] });
      await using _lock = await (await apps.replica()).acquire('report');
      expect((await fetch(`${url}/${path}`)).status).toBe(409);
    },
  );
});

it.each([{ args: [] }, { args: [{ force: true }, { output: 'json' }] }])(
  'leaves the error as it is for a library that calls a handler of no transport: $args',
  async ({ args }) => {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Reports] });
    const call = app
      .get(ExternalContextCreator)
      .create(app.get(Reports), Reports.prototype.report, 'report');
    expect(await call(...args)).toBe('done');
    await using _lock = await (await apps.replica()).acquire('report');
    await expect(call(...args)).rejects.toThrow(LockTimeoutError);
  },
);
