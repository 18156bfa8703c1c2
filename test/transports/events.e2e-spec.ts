import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Logger,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { Locked, LockService, WithPermit, ZkLockError } from 'nestjs-zk-lock';
import {
  defaultIfEmpty,
  EMPTY,
  finalize,
  from,
  lastValueFrom,
  merge,
  NEVER,
  Observable,
  of,
  switchMap,
  takeUntil,
  tap,
} from 'rxjs';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { addTransports } from '../../apps/warehouse/src/add-transports.js';
import { Gate } from '../nest/support/gate.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { connect } from './support/open-warehouse.js';

const apps = useTestApps();
const gate = new Gate();
let seen: string[];

beforeEach(() => {
  seen = [];
  gate.close();
});

/** Waits until a handler has recorded this. */
const untilSeen = (what: string) => waitFor(() => seen.includes(what), { what });

/** Starts the controllers, and sends the event `picked` to their handlers. */
async function emit(...controllers: Type[]): Promise<LockService> {
  const app = await apps.build({ imports: [apps.zkLock()], controllers });
  const client = connect(await addTransports(app, 0));
  await lastValueFrom(client.emit('picked', {}), { defaultValue: undefined });
  return app.get(LockService);
}

const handled = of('handled').pipe(tap((value) => seen.push(value)));

@Controller()
class AsPromise {
  @EventPattern('picked')
  @Locked('stock')
  async handle(_data: unknown): Promise<void> {
    await lastValueFrom(handled);
  }
}

@Controller()
class AsStream {
  @EventPattern('picked')
  @Locked('stock')
  handle(_data: unknown): Observable<string> {
    return handled;
  }
}

@Controller()
class AsPromisedStream {
  @EventPattern('picked')
  @Locked('stock')
  async handle(_data: unknown): Promise<Observable<string>> {
    return Promise.resolve(handled);
  }
}

@Controller()
class WithBoth {
  @EventPattern('picked')
  @WithPermit('scanners', { permits: 1 })
  @Locked('stock')
  async handle(_data: unknown): Promise<void> {
    await lastValueFrom(handled);
  }
}

/** Another handler of the same event. Nest unsubscribes from all of them when it ends like this. */
abstract class Other {
  constructor(private readonly end: () => Observable<never>) {}

  @EventPattern('picked')
  print(_data: unknown): Observable<never> {
    return from(gate.pass()).pipe(
      switchMap(() => this.end()),
      finalize(() => seen.push('other')),
    );
  }
}

@Controller()
class Failing extends Other {
  constructor() {
    super(() => {
      throw new Error('no paper');
    });
  }
}

@Controller()
class WithoutValue extends Other {
  constructor() {
    super(() => EMPTY);
  }
}

describe.each([AsPromise, AsStream, AsPromisedStream, WithBoth])(
  'an event that waits for its lock: %o',
  (handler) => {
    it.each([Failing, WithoutValue])(
      'is handled whatever its other handlers do: %o',
      async (other) => {
        const lock = await (await apps.replica()).acquire('stock');
        const locks = await emit(handler, other);
        await waitFor(async () => (await locks.inspect('stock')).waiters.length === 1, {
          what: 'the handler to wait',
        });
        gate.open();
        await untilSeen('other');
        await lock.release();
        await untilSeen('handled');
      },
    );
  },
);

it('the failure of an event from which Nest has unsubscribed is logged', async () => {
  const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
  onTestFinished(() => logged.mockRestore());

  @Controller()
  class Impatient {
    @EventPattern('picked')
    @Locked('stock', { timeoutMs: 500 })
    async handle(_data: unknown): Promise<void> {
      await lastValueFrom(handled);
    }
  }
  await using _lock = await (await apps.replica()).acquire('stock');
  gate.open();
  await emit(Impatient, Failing);
  // On a busy machine, the call may not learn in time that the lock is held.
  await waitFor(() => logged.mock.calls.some(([error]) => error instanceof ZkLockError), {
    what: 'the failure to be logged',
  });
  expect(seen).toEqual(['other']);
});

@Controller()
class Endless {
  @EventPattern('picked')
  @Locked('stock')
  handle(_data: unknown): Observable<never> {
    seen.push('running');
    return NEVER;
  }
}

@Controller()
class PromisedEndless {
  @EventPattern('picked')
  @Locked('stock')
  async handle(_data: unknown): Promise<Observable<never>> {
    seen.push('running');
    return Promise.resolve(NEVER);
  }
}

it.each([Endless, PromisedEndless])(
  'an event whose stream is running ends with its other handlers: %o',
  async (handler) => {
    await emit(handler, Failing);
    await untilSeen('running');
    gate.open();
    await apps.untilQueued(0);
  },
);

/** What ends the event before its lock is held, once the gate is open. */
class Failed implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const end = from(gate.pass()).pipe(
      switchMap(() => {
        throw new Error('too late');
      }),
    );
    return merge(next.handle(), end);
  }
}

class Completed implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(takeUntil(gate.pass()), defaultIfEmpty('too late'));
  }
}

describe.each([Failed, Completed])('an event that its own interceptor ends: %o', (ending) => {
  @Controller()
  class Limited {
    @EventPattern('picked')
    @UseInterceptors(ending)
    @Locked('stock', { timeoutMs: 120_000 })
    async handle(_data: unknown): Promise<Observable<string>> {
      return Promise.resolve(handled);
    }
  }

  it.each([[[]], [[Failing]]])('leaves the queue, also beside %o', async (others) => {
    const lock = await (await apps.replica()).acquire('stock');
    const locks = await emit(Limited, ...others);
    const waiters = async (): Promise<number> => (await locks.inspect('stock')).waiters.length;
    await waitFor(async () => (await waiters()) === 1, { what: 'the handler to wait' });
    gate.open();
    await waitFor(async () => (await waiters()) === 0, { what: 'the handler to leave the queue' });
    await lock.release();
    expect(seen).toEqual(others.map(() => 'other'));
  });
});

it('an event whose skipped handler provides a stream ends with its other handlers', async () => {
  @Controller()
  class Skipped {
    @EventPattern('picked')
    @Locked('stock', {
      onBusy: () => {
        seen.push('running');
        return NEVER.pipe(finalize(() => seen.push('ended')));
      },
    })
    handle(_data: unknown): Observable<string> {
      return handled;
    }
  }
  await using _lock = await (await apps.replica()).acquire('stock');
  await emit(Skipped, Failing);
  await untilSeen('running');
  gate.open();
  await untilSeen('ended');
});

it('the failure of the answer for a skipped handler is logged after Nest has unsubscribed', async () => {
  const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
  onTestFinished(() => logged.mockRestore());
  const refused = new Error('no dead letters');

  @Controller()
  class Skipped {
    @EventPattern('picked')
    @Locked('stock', {
      onBusy: async () => {
        seen.push('skipped');
        await afterOther.pass();
        throw refused;
      },
    })
    async handle(_data: unknown): Promise<void> {
      await lastValueFrom(handled);
    }
  }
  const afterOther = new Gate();
  await using _lock = await (await apps.replica()).acquire('stock');
  await emit(Skipped, Failing);
  await untilSeen('skipped');
  gate.open();
  await untilSeen('other');
  afterOther.open();
  await waitFor(() => logged.mock.calls.some(([error]) => error === refused), {
    what: 'the failure to be logged',
  });
});
