import {
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  ParseEnumPipe,
  Post,
  Query,
} from '@nestjs/common';
import { CurrentLock, type Lock, Locked } from 'nestjs-zk-lock';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoxOfficeService, type Sale, type ShowSales } from './box-office.service.js';
import { MillisecondsPipe } from './milliseconds.pipe.js';
import { ShowNamePipe } from './show-name.pipe.js';

const AUDIT_MS = 2_000;

// Optional, so that an empty name is answered by the pipe (400) and not by the router (404).
@Controller('shows/{:show}')
export class BoxOfficeController {
  constructor(private readonly boxOffice: BoxOfficeService) {}

  @Post('tickets')
  sell(
    @Param('show', ShowNamePipe) show: string,
    @Query('lock', new ParseEnumPipe({ none: 'none' }, { optional: true })) lock?: 'none',
  ): Promise<Sale> {
    return lock === 'none' ? this.boxOffice.sellUnlocked(show) : this.boxOffice.sell(show);
  }

  @Get()
  sold(@Param('show', ShowNamePipe) show: string): Promise<ShowSales> {
    return this.boxOffice.sold(show);
  }

  /** Blocks sales, by default for two seconds. It holds the show's lock, which the nested `sold` joins. */
  @Post('audit')
  @HttpCode(HttpStatus.OK)
  @Locked((show: string) => `show:${show}`, {
    timeoutMs: (_show: string, timeoutMs: number | undefined) => timeoutMs,
  })
  async audit(
    @Param('show', ShowNamePipe) show: string,
    @Query('timeoutMs', MillisecondsPipe) _timeoutMs: number | undefined,
    @Query('takesMs', MillisecondsPipe) takesMs = AUDIT_MS,
    @CurrentLock() lock: Lock,
  ): Promise<Sale> {
    // Ends at once when the lock is lost.
    await sleep(takesMs, undefined, { signal: lock.signal });
    const { sold } = await this.boxOffice.sold(show);
    return { show, sold, fencingToken: String(lock.fencingToken) };
  }

  @Delete()
  @HttpCode(HttpStatus.NO_CONTENT)
  reset(@Param('show', ShowNamePipe) show: string): Promise<void> {
    return this.boxOffice.reset(show);
  }
}
