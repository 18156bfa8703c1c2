import type { LockService } from 'nestjs-zk-lock';

declare function use(...values: unknown[]): void;
declare const signal: AbortSignal;
declare const from: string;
declare const scene: string;

/** To be compiled and never to be called. */
export abstract class Calls {
  abstract locks: LockService;
  abstract count(signal: AbortSignal): Promise<void>;
  abstract exchange(signal: AbortSignal): Promise<void>;
  abstract render(scene: string, signal: AbortSignal): Promise<void>;
  abstract send(signal: AbortSignal): Promise<void>;

  async call() {
    await this.locks.withLock('stock:42', { timeoutMs: 2_000 }, ({ signal }) => this.count(signal));

    await using reading = await this.locks.acquire('stock:42', { mode: 'read', signal });

    await using free = await this.locks.tryAcquire('stock:42'); // null when it is busy
    use(reading, free);
  }

  async several() {
    await this.locks.withLocks([`account:${from}`, { key: 'rates', mode: 'read' }], ({ signal }) =>
      this.exchange(signal),
    );
  }

  async look() {
    const { holders, waiters } = await this.locks.inspect('stock:42'); // over all processes
    const keys = await this.locks.list();
    use(holders, waiters, keys);
  }

  async revoke() {
    await this.locks.revoke('stock:42'); // lock.revoked aborts; the lock is held all the same
  }

  async upgrade() {
    await using lock = await this.locks.acquireUpgradable('stock:42'); // beside plain readers, one at a time
    await using writing = await lock.upgrade(); // alone; what was read is still true
    use(writing);
  }

  async permits() {
    const cards = this.locks.semaphore('cards', { permits: 4 }); // asks nothing of ZooKeeper

    await cards.withPermit({ timeoutMs: 5_000 }, ({ signal }) => this.render(scene, signal));
    await using three = await cards.acquire({ permits: 3 }); // all three or none
    use(three);
  }

  async lead() {
    const election = this.locks.election('reports');
    const term = await election.whenLeader(); // term.signal, term.fencingToken, term.assertHeld()
    await election.asLeader(({ signal }) => this.send(signal)); // only where it leads, by the clock at this moment
    await election.resign(); // hands on, and queues up behind the others
    use(term);
  }
}
