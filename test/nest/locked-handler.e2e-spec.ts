import {
  Controller,
  Get,
  Inject,
  Injectable,
  Param,
  ParseIntPipe,
  type PipeTransform,
  Post,
  UsePipes,
} from '@nestjs/common';
import { CurrentLock, type Lock, Locked, OnlyLeader, currentLock } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

@Injectable()
class Tickets {
  @Locked('show:{0}', { timeoutMs: 0 })
  async sell(show: string): Promise<string> {
    return Promise.resolve(show);
  }
}

/** Copies objects, as pipes do that remove properties. */
const copies: PipeTransform = {
  transform: (value: unknown) => (typeof value === 'object' ? { ...value } : value),
};

@Controller('shows/:show')
@UsePipes(copies)
class Shows {
  constructor(@Inject(Tickets) private readonly tickets: Tickets) {}

  @Locked('show:{0}')
  @Get('seats/:seat')
  async seat(
    @Param('show') show: string,
    @Param('seat', ParseIntPipe) seat: number,
    @CurrentLock() lock: Lock,
  ): Promise<object> {
    lock.assertHeld();
    return { show, seat, lock: lock.key, same: lock === currentLock() };
  }

  @Post('tickets')
  async sell(@Param('show') show: string): Promise<string> {
    return this.tickets.sell(show);
  }

  @Get('unlocked')
  async unlocked(@CurrentLock() lock: Lock): Promise<string> {
    return Promise.resolve(lock.key);
  }
}

it('a handler gets its lock as an argument, whatever its pipes do, and also answers 423 if a service’s method does not get its lock', async () => {
  const zkLock = apps.zkLock();
  const url = await apps.listen({ imports: [zkLock], controllers: [Shows], providers: [Tickets] });
  const seat = await fetch(`${url}/shows/hamlet/seats/12`);
  expect(await seat.json()).toEqual({ show: 'hamlet', seat: 12, lock: 'show:hamlet', same: true });
  await using lock = await (await apps.replica()).acquire('show:hamlet');
  const sale = (): Promise<Response> => fetch(`${url}/shows/hamlet/tickets`, { method: 'POST' });
  const refused = await sale();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([423, '1']);
  await lock.release();
  expect((await sale()).status).toBe(201);
  // Only a decorated handler has a current lock.
  expect((await fetch(`${url}/shows/hamlet/unlocked`)).status).toBe(500);
});

it('the functions of the options get no lock, which is not held yet', async () => {
  const seen: Record<string, unknown[]> = {};
  const see =
    <T>(what: string, result: T) =>
    (...args: unknown[]): T => {
      seen[what] = args;
      return result;
    };

  @Controller('halls/:hall')
  class Halls {
    @Get('lit')
    @Locked(see('key', 'light'), {
      timeoutMs: see('timeoutMs', 0),
      minHoldMs: see('minHoldMs', 0),
      maxHoldMs: see('maxHoldMs', 60_000),
      onBusy: see('onBusy', 'busy'),
    })
    async light(@CurrentLock() lock: Lock, @Param('hall') hall: string): Promise<string> {
      return Promise.resolve(`${lock.key} of ${hall}`);
    }

    @Get('led')
    @OnlyLeader('hall', { onFollower: see('onFollower', 'follower') })
    async lead(@CurrentLock() lock: Lock, @Param('hall') hall: string): Promise<string> {
      return Promise.resolve(`${lock.key} of ${hall}`);
    }
  }
  const replica = await apps.replica();
  const election = replica.election('hall');
  await waitFor(() => election.isLeader, { what: 'the other replica to lead' });
  const url = await apps.listen({ imports: [apps.zkLock()], controllers: [Halls] });
  const get = async (path: string) => (await fetch(`${url}/halls/A/${path}`)).text();
  expect(await get('lit')).toBe('light of A');
  await using _lock = await replica.acquire('light');
  expect(await get('lit')).toBe('busy');
  expect(await get('led')).toBe('follower');
  const given = [undefined, 'A'];
  expect(seen).toEqual({
    ...{ key: given, timeoutMs: given, minHoldMs: given, maxHoldMs: given },
    ...{ onBusy: given, onFollower: given },
  });
});
