import { Injectable } from '@nestjs/common';
import { Locked, LockService, currentLock } from 'nestjs-zk-lock';

export abstract class Bank {
  abstract move(from: string, to: string, amount: number, signal: AbortSignal): Promise<void>;
}

@Injectable()
export class AccountService {
  constructor(
    private readonly locks: LockService,
    private readonly bank: Bank,
  ) {}

  @Locked(['account:{0}', 'account:{1}'], 5_000)
  async transfer(from: string, to: string, amount: number): Promise<void> {
    await this.bank.move(from, to, amount, currentLock().signal); // aborts when either is lost
  }

  /** Writes the accounts and reads today's rates. */
  async exchange(from: string, to: string, amount: number): Promise<void> {
    await this.locks.withLocks(
      [`account:${from}`, `account:${to}`, { key: 'rates', mode: 'read' }],
      { timeoutMs: 5_000 },
      ({ signal }) => this.bank.move(from, to, amount, signal),
    );
  }
}
