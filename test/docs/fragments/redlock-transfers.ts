import { Injectable } from '@nestjs/common';
import Redlock from 'redlock';

@Injectable()
export class RedlockTransfers {
  constructor(private readonly redlock: Redlock) {}

  async transfer(from: string, to: string, move: () => Promise<void>): Promise<void> {
    await this.redlock.using([`account:${from}`, `account:${to}`], 5_000, async (signal) => {
      if (signal.aborted) throw signal.error!;
      await move();
    });
  }
}
