import { CommandProcess } from '../../test/support/command-process.js';
import type { DriverCommands, Keys, Work } from '../driver/protocol.js';

/** The work of a driver's tasks. */
export interface Load {
  readonly work: Work;
  readonly keys: Keys;
  readonly tasks: number;
  /** The name of the keys; the same name means the same keys. */
  readonly name: string;
  /** Pause of each task between its cycles. @default none */
  readonly pauseMs?: number;
  /**
   * The mean time for which each lock is held. Pauses and holds are then random. @default locks are
   * released at once
   */
  readonly holdMs?: number;
}

/** A process that executes the work with one library's locks. */
export class Driver extends CommandProcess<DriverCommands> {
  static async start(words: readonly string[], name: string): Promise<Driver> {
    const driver = new Driver(words, name);
    await driver.ready();
    return driver;
  }

  run(
    { work, keys, tasks, name, pauseMs = 0, holdMs = 0 }: Load,
    seconds: number,
  ): Promise<ReturnType<DriverCommands['run']>> {
    // Only some drivers can hold a lock.
    const holding: [] | [number] = holdMs > 0 ? [holdMs] : [];
    return this.tell('run', work, keys, tasks, seconds, name, pauseMs, ...holding);
  }

  letGo(): Promise<ReturnType<DriverCommands['letGo']>> {
    return this.tell('letGo');
  }

  serve(
    waiters: number,
    name: string,
    seconds: number,
  ): Promise<ReturnType<DriverCommands['serve']>> {
    return this.tell('serve', waiters, name, seconds);
  }

  keyMemory(keys: number, name: string): Promise<ReturnType<DriverCommands['keyMemory']>> {
    return this.tell('keyMemory', keys, name);
  }

  permits(permits: number, name: string): Promise<ReturnType<DriverCommands['permits']>> {
    return this.tell('permits', permits, name);
  }

  fill(waiters: number, name: string): Promise<ReturnType<DriverCommands['fill']>> {
    return this.tell('fill', waiters, name);
  }

  hand(handOvers: number): Promise<ReturnType<DriverCommands['hand']>> {
    return this.tell('hand', handOvers);
  }

  stall(): Promise<ReturnType<DriverCommands['stall']>> {
    return this.tell('stall');
  }

  memory(): Promise<ReturnType<DriverCommands['memory']>> {
    return this.tell('memory');
  }

  overhead(seconds: number): Promise<ReturnType<DriverCommands['overhead']>> {
    return this.tell('overhead', seconds);
  }
}
