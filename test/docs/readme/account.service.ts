import { Injectable } from '@nestjs/common';
import { Locked, currentLock } from 'nestjs-zk-lock';

export abstract class Bank {
  abstract close(account: string, fencingToken: bigint): Promise<void>;
  abstract move(from: string, to: string, signal: AbortSignal): Promise<void>;
  abstract balance(account: string): Promise<number>;
}

@Injectable()
export class AccountService {
  constructor(private readonly bank: Bank) {}

  @Locked('account:{0.id}') // a property of the first argument
  async close(account: { id: string }): Promise<void> {
    const lock = currentLock();
    lock.assertHeld(); // throws if the lock has been lost
    await this.bank.close(account.id, lock.fencingToken); // rises with every grant
  }

  @Locked(['account:{0}', 'account:{1}']) // both or neither, without deadlocks
  async transfer(from: string, to: string): Promise<void> {
    await this.bank.move(from, to, currentLock().signal);
  }

  @Locked((id: string) => `account:${id}`, 500, 'read')
  async balance(id: string): Promise<number> {
    return this.bank.balance(id);
  }
}
