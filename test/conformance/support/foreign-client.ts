import { CommandError, CommandProcess } from '../../support/command-process.js';

/** A scenario has failed; the message is the foreign client's own trace. */
export class ForeignFailure extends Error {
  override readonly name = 'ForeignFailure';
}

interface Commands {
  /** Runs one scenario; the ones before it must be done. */
  run(scenario: string): void;
}

/** A process with a client that is not ours, which runs scenarios and is ready with their names. */
export class ForeignClient extends CommandProcess<Commands> {
  readonly scenarios = this.ready() as Promise<readonly string[]>;

  constructor(...words: readonly string[]) {
    super(words, 'the foreign client');
    this.scenarios.catch(() => {});
  }

  async run(scenario: string): Promise<void> {
    const logged = this.errors.length;
    try {
      await this.tell('run', scenario);
    } catch (error) {
      const log = this.errors.slice(logged) && `\nIts log ends with:\n${this.errors}`;
      if (error instanceof CommandError) throw new ForeignFailure(`\n${error.message}${log}`);
      throw error;
    }
  }
}
