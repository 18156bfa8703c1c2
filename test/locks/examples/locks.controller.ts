import { Controller, Delete, Get, Param } from '@nestjs/common';
import { LockService, type Contender } from 'nestjs-zk-lock';

@Controller('locks')
export class LocksController {
  constructor(private readonly locks: LockService) {}

  @Get()
  async list(): Promise<string[]> {
    return this.locks.list();
  }

  @Get(':key')
  async show(@Param('key') key: string): Promise<object> {
    const { holders, waiters, total } = await this.locks.inspect(key, { limit: 20 });
    return { total, holders: holders.map(describe), waiters: waiters.map(describe) };
  }

  /** Takes the lock from this contender, and from no other. */
  @Delete(':key/:token')
  async break(@Param('key') key: string, @Param('token') token: string): Promise<object> {
    return describe(await this.locks.breakLock(key, { token: BigInt(token) }));
  }
}

function describe({ mode, queuedAt, fencingToken, holder }: Contender): object {
  // JSON has no bigint.
  return { mode, queuedAt, fencingToken: String(fencingToken), ...holder };
}
