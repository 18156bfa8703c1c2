import { Injectable } from '@nestjs/common';
import { LockService, type DeadlockedCall } from 'nestjs-zk-lock';

@Injectable()
export class DeadlockWatch {
  constructor(private readonly locks: LockService) {}

  /** A line for each circle of calls, in all processes. */
  async look(): Promise<string[]> {
    const { deadlocks } = await this.locks.deadlocks();
    return deadlocks.map((calls) => calls.map(describe).join('; '));
  }
}

function describe({ holder, holds, waitsFor }: DeadlockedCall): string {
  return `${holder.label} (pid ${holder.pid}) holds ${holds}, waits for ${waitsFor}`;
}
