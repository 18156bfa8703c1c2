import { Controller, Get, Inject, Injectable, Param, ParseIntPipe, Post } from '@nestjs/common';
import { CurrentLock, type Lock, Locked, currentLock } from 'nestjs-zk-lock';
import { describe, expect, it } from 'vitest';
import { PLATFORMS } from './support/platforms.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

@Injectable()
class Tickets {
  @Locked('show:{0}', { timeoutMs: 0 })
  async sell(show: string): Promise<string> {
    return Promise.resolve(show);
  }
}

@Controller('shows/:show')
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

describe.each(PLATFORMS)('@Locked: a handler on %s', (_platform, adapter) => {
  const listen = () =>
    apps.listen(
      { imports: [apps.zkLock()], controllers: [Shows], providers: [Tickets] },
      adapter(),
    );

  it('answers 423 as well when a service’s method does not get its lock', async () => {
    const sale = `${await listen()}/shows/hamlet/tickets`;
    await using lock = await (await apps.replica()).acquire('show:hamlet');
    const refused = await fetch(sale, { method: 'POST' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([423, '1']);
    await lock.release();
    expect((await fetch(sale, { method: 'POST' })).status).toBe(201);
  });

  it('gets its arguments from its pipes, and its lock as one of them', async () => {
    const response = await fetch(`${await listen()}/shows/hamlet/seats/12`);
    expect(response.status).toBe(200);
    const answer = { show: 'hamlet', seat: 12, lock: 'show:hamlet', same: true };
    expect(await response.json()).toEqual(answer);
  });

  it('must be decorated for @CurrentLock() to work', async () => {
    expect((await fetch(`${await listen()}/shows/hamlet/unlocked`)).status).toBe(500);
  });
});
