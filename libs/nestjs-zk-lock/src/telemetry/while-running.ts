import { untilSilent } from './sources.js';

/**
 * A provider of Nest that does something from the start of its application until the last lock
 * service of that is closed.
 */
export class WhileRunning {
  #stop: (() => void) | undefined;

  /**
   * @param application what the lock services are known by
   * @param start answers what stops it
   */
  constructor(
    private readonly application: object,
    private readonly start: () => () => void,
  ) {}

  onModuleInit(): void {
    this.#stop ??= this.start();
  }

  onApplicationShutdown(): void {
    // Not waited for: Nest closes the services of global modules after everybody else.
    void untilSilent(this.application).then(() => this.#stop?.());
  }
}
