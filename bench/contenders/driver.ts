import type { CommandProcess } from '../../test/support/command-process.js';
import type { DriverCommands, Keys, Work } from '../driver/protocol.js';

/** What a driver's tasks are to do. */
export interface Load {
  readonly work: Work;
  readonly keys: Keys;
  readonly tasks: number;
  /** Of the keys; the same name means the same keys. */
  readonly name: string;
}

type Answer<C extends keyof DriverCommands> = Promise<ReturnType<DriverCommands[C]>>;

/** A process that works by one library's locks. */
export class Driver {
  constructor(private readonly process: CommandProcess) {}

  get pid(): number {
    return this.process.pid;
  }

  run({ work, keys, tasks, name }: Load, seconds: number): Answer<'run'> {
    return this.#tell('run', work, keys, tasks, seconds, name);
  }

  fill(waiters: number, name: string): Answer<'fill'> {
    return this.#tell('fill', waiters, name);
  }

  hand(handOvers: number): Answer<'hand'> {
    return this.#tell('hand', handOvers);
  }

  memory(): Answer<'memory'> {
    return this.#tell('memory');
  }

  overhead(seconds: number): Answer<'overhead'> {
    return this.#tell('overhead', seconds);
  }

  /** Lets it end its session, and ends it. */
  stop(): Promise<void> {
    return this.process.stop();
  }

  #tell<C extends keyof DriverCommands>(
    what: C,
    ...words: Parameters<DriverCommands[C]>
  ): Answer<C> {
    return this.process.tell(what, ...words) as Answer<C>;
  }
}
