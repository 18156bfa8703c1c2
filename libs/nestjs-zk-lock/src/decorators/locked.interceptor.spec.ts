import type { ExecutionContext } from '@nestjs/common';
import type { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { lastValueFrom, throwError } from 'rxjs';
import { expect, it } from 'vitest';
import { LockedInterceptor } from './locked.interceptor.js';

it('passes on a failure of the handler that has no reason', async () => {
  const context = {
    getHandler: () => () => undefined,
    getType: () => 'http',
    switchToHttp: () => ({ getResponse: () => undefined }),
  } as unknown as ExecutionContext;
  const interceptor = new LockedInterceptor({} as ModuleRef, {} as HttpAdapterHost);
  const handle = () => throwError(() => undefined);
  await expect(lastValueFrom(interceptor.intercept(context, { handle }))).rejects.toBeUndefined();
});
