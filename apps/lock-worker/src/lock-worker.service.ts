import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LockService, type Lock, type LockLostError, type Permit } from 'nestjs-zk-lock';
import type { Command, Granted, LockReport, Message, PermitsGranted } from './protocol.js';

const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;

@Injectable()
export class LockWorkerService {
  readonly #held = new Map<number, Lock | Permit>();
  #grants = 0;

  constructor(@Inject(LockService) private readonly locks: LockService) {}

  async execute(command: Command, tell: (message: Message) => void): Promise<unknown> {
    switch (command.do) {
      case 'acquire':
        return this.#acquire(command, tell);
      case 'release':
        return this.#lock(command.lock).release();
      case 'assertHeld':
        this.#lock(command.lock).assertHeld();
        return;
      case 'inspect':
        return this.#inspect(command.lock);
      case 'count':
        return this.#count(command);
      case 'acquirePermits':
        return this.#acquirePermits(command, tell);
      case 'occupy':
        return this.#occupy(command);
      case 'session':
        return this.locks.session.snapshot;
      case 'stand':
        this.#stand(command.key, tell);
        return;
      case 'resign':
        return this.locks.election(command.key).resign();
      case 'leave':
        return this.locks.election(command.key).close();
      case 'isLeader':
        return this.locks.election(command.key).isLeader;
      default:
        return command satisfies never;
    }
  }

  async #acquire(
    { key, ...options }: Extract<Command, { do: 'acquire' }>,
    tell: (message: Message) => void,
  ): Promise<Granted> {
    const { mode, timeoutMs } = options;
    const lock = await this.locks.acquire(
      key,
      timeoutMs === undefined ? { mode } : { mode, timeoutMs },
    );
    return { ...this.#keep(lock, tell), fencingToken: String(lock.fencingToken) };
  }

  async #acquirePermits(
    { key, of, permits }: Extract<Command, { do: 'acquirePermits' }>,
    tell: (message: Message) => void,
  ): Promise<PermitsGranted> {
    const permit = await this.locks.semaphore(key, { permits: of }).acquire({ permits });
    return this.#keep(permit, tell);
  }

  #keep(held: Lock | Permit, tell: (message: Message) => void): PermitsGranted {
    const at = machineTime();
    const number = ++this.#grants;
    this.#held.set(number, held);
    held.signal.addEventListener('abort', () => {
      const { reason } = held.signal.reason as LockLostError;
      tell({ type: 'lost', lock: number, reason, at: machineTime() });
    });
    return { lock: number, at };
  }

  #inspect(number: number): LockReport {
    const { isHeld, signal } = this.#lock(number);
    return { isHeld, aborted: signal.aborted };
  }

  #stand(key: string, tell: (message: Message) => void): void {
    this.locks.election(key).term$.subscribe((term) => {
      if (!term) return;
      const fencingToken = String(term.fencingToken);
      tell({ type: 'elected', key, fencingToken, at: machineTime() });
      term.signal.addEventListener('abort', () => {
        tell({ type: 'deposed', key, fencingToken, at: machineTime() });
      });
    });
  }

  async #count({ key, file, tasks }: Extract<Command, { do: 'count' }>): Promise<void> {
    const increment = async (lock: Lock): Promise<void> => {
      const before = Number(readFileSync(file, 'utf8'));
      appendFileSync(`${file}.tokens`, `${String(lock.fencingToken)}\n`);
      await sleep(2);
      writeFileSync(file, String(before + 1));
    };
    await Promise.all(Array.from({ length: tasks }, () => this.locks.withLock(key, increment)));
  }

  async #occupy({ key, of, file, tasks }: Extract<Command, { do: 'occupy' }>): Promise<void> {
    const semaphore = this.locks.semaphore(key, { permits: of });
    const occupy = async (permit: Permit): Promise<void> => {
      appendFileSync(file, `ours +${permit.permits}\n`);
      await sleep(10);
      appendFileSync(file, `ours -${permit.permits}\n`);
    };
    await Promise.all(tasks.map((permits) => semaphore.withPermit({ permits }, occupy)));
  }

  #lock(number: number): Lock | Permit {
    const lock = this.#held.get(number);
    if (!lock) throw new Error(`there is no lock ${number}`);
    return lock;
  }
}
