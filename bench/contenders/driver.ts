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
}

/** A process that does the work with one library's locks. */
export class Driver extends CommandProcess<DriverCommands> {
  static async start(words: readonly string[], name: string): Promise<Driver> {
    const driver = new Driver(words, name);
    await driver.ready();
    return driver;
  }

  run(
    { work, keys, tasks, name, pauseMs = 0 }: Load,
    seconds: number,
  ): Promise<ReturnType<DriverCommands['run']>> {
    return this.tell('run', work, keys, tasks, seconds, name, pauseMs);
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
