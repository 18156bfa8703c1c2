import { Controller, Delete, Get, Param } from '@nestjs/common';
import { LockService } from 'nestjs-zk-lock';
import type { Contender } from 'nestjs-zk-lock/inspect';

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

  @Delete(':key/:node/:token')
  async break(
    @Param('key') key: string,
    @Param('node') node: string,
    @Param('token') token: string,
  ): Promise<object> {
    return describe(await this.locks.breakLock(key, { node, token: BigInt(token) }));
  }
}

function describe({ mode, node, queuedAt, fencingToken, holder }: Contender): object {
  // JSON has no bigint.
  return { ...holder, mode, node, queuedAt, token: String(fencingToken) };
}
