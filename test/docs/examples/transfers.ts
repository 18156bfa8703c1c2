import { Injectable } from '@nestjs/common';
import { Locked, currentLock } from 'nestjs-zk-lock';

@Injectable()
export class Transfers {
  @Locked(['account:{0}', 'account:{1}'], 5_000)
  async transfer(
    _from: string,
    _to: string,
    move: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    await move(currentLock().signal);
  }
}
