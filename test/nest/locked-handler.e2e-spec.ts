import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Param,
  ParseIntPipe,
  type PipeTransform,
  Post,
  Query,
} from '@nestjs/common';
import { CurrentLock, type Lock, Locked, currentLock } from 'nestjs-zk-lock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { Gate } from './support/gate.js';
import { openRequest } from './support/open-request.js';
import { PLATFORMS } from './support/platforms.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

let gate: Gate;
let runs: string[];

@Injectable()
class Tickets {
  @Locked('show:{0}', { timeoutMs: 0 })
  async sell(show: string): Promise<bigint> {
    runs.push(`sell ${show}`);
    return currentLock().fencingToken;
  }
}

class SeatsPipe implements PipeTransform {
  transform(body: { seats?: unknown }): { seats: number } {
    if (typeof body.seats !== 'number') throw new BadRequestException('seats must be a number');
    return { seats: body.seats };
  }
}

@Controller('shows/:show')
class Shows {
  constructor(@Inject(Tickets) private readonly tickets: Tickets) {}

  @Post('audit')
  @Locked('show:{0}', { timeoutMs: (_show: string, ms?: number) => ms })
  async audit(
    @Param('show') show: string,
    @Query('timeoutMs', new ParseIntPipe({ optional: true })) _ms?: number,
  ): Promise<object> {
    runs.push(`audit ${show}`);
    await gate.pass();
    return { lock: currentLock().key, nodes: (await apps.lockNodes()).length };
  }

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

  @Post('bookings')
  @HttpCode(202)
  @Locked('show:{0}/{1.seats}')
  async book(
    @Param('show') _show: string,
    @Body(new SeatsPipe()) booking: { seats: number },
  ): Promise<object> {
    return { key: currentLock().key, ...booking };
  }

  @Post('sales')
  @Locked('show:{0}')
  async sellUnderLock(@Param('show') show: string): Promise<object> {
    const outer = currentLock().fencingToken;
    const inner = await this.tickets.sell(show);
    return { same: inner === outer, nodes: (await apps.lockNodes()).length };
  }

  @Post('tickets')
  async sell(@Param('show') show: string): Promise<object> {
    return { token: String(await this.tickets.sell(show)) };
  }

  @Get('unlocked')
  async unlocked(@CurrentLock() lock: Lock): Promise<object> {
    runs.push('unlocked');
    return { lock: lock.key };
  }

  @Get('keyless')
  @Locked('show:{1}')
  async keyless(@Param('show') _show: string, @Query('room') _room?: string): Promise<void> {
    runs.push('keyless');
  }
}

beforeEach(() => {
  gate = new Gate();
  runs = [];
});
afterEach(() => {
  gate.open();
});

const post = (url: string, body: object = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe.each(PLATFORMS)('@Locked: a handler on %s', (_platform, adapter) => {
  const listen = (extra?: Parameters<typeof apps.zkLock>[0]) =>
    apps.listen(
      { imports: [apps.zkLock(extra)], controllers: [Shows], providers: [Tickets] },
      adapter(),
    );

  it('runs under one lock, and lets go of it before it is asked again', async () => {
    const url = await listen();
    const audits = [post(`${url}/shows/hamlet/audit`), post(`${url}/shows/hamlet/audit`)];
    await waitFor(() => gate.arrivals > 0, { what: 'one audit to begin' });
    await apps.untilQueued(2);
    expect(runs).toEqual(['audit hamlet']);
    gate.open();
    const answers = await Promise.all(audits.map(async (audit) => (await audit).json()));
    expect(answers).toContainEqual({ lock: 'show:hamlet', nodes: 2 });
    expect(answers).toContainEqual({ lock: 'show:hamlet', nodes: 1 });
  });

  it('tells the caller to come back after the time it has waited, in whole seconds', async () => {
    const url = await listen({ acquireTimeoutMs: 1_001 });
    const other = await apps.replica();
    await using _lock = await other.acquire('show:hamlet');
    const refused = await post(`${url}/shows/hamlet/audit`);
    expect(refused.headers.get('retry-after')).toBe('2');
  });

  it('answers 423 as well when a service’s method does not get its lock', async () => {
    const url = await listen();
    const other = await apps.replica();
    await using lock = await other.acquire('show:hamlet');
    const refused = await post(`${url}/shows/hamlet/tickets`);
    expect(refused.status).toBe(423);
    expect(refused.headers.get('retry-after')).toBe('1');
    await lock.release();
    expect((await post(`${url}/shows/hamlet/tickets`)).status).toBe(201);
  });

  it('gets its arguments from its pipes, and its lock as one of them', async () => {
    const url = await listen();
    const response = await fetch(`${url}/shows/hamlet/seats/12`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      show: 'hamlet',
      seat: 12,
      lock: 'show:hamlet',
      same: true,
    });
  });

  it('keeps the status that a decorator gave it', async () => {
    const url = await listen();
    const response = await post(`${url}/shows/hamlet/bookings`, { seats: 2 });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ key: 'show:hamlet/2', seats: 2 });
  });

  it('shares its lock with the service’s method it calls', async () => {
    const url = await listen();
    const response = await post(`${url}/shows/hamlet/sales`);
    expect(await response.json()).toEqual({ same: true, nodes: 1 });
  });

  it('goes on to its end when the client goes away while it runs', async () => {
    const url = await listen();
    const client = openRequest(`${url}/shows/hamlet/audit`);
    await waitFor(() => gate.arrivals === 1, { what: 'the audit to begin' });
    client.hangUp();
    const seat = fetch(`${url}/shows/hamlet/seats/1`);
    await apps.untilQueued(2);
    gate.open();
    expect((await seat).status).toBe(200);
  });

  it('does not run, and answers 500 without details, when it cannot name its lock', async () => {
    const url = await listen();
    const response = await fetch(`${url}/shows/hamlet/keyless`);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ statusCode: 500, message: 'Internal server error' });
    expect(runs).toEqual([]);
  });

  it('must be decorated for @CurrentLock() to work', async () => {
    const url = await listen();
    expect((await fetch(`${url}/shows/hamlet/unlocked`)).status).toBe(500);
    expect(runs).toEqual([]);
  });
});
