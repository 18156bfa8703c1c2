/** A provider of Nest that does something from the start of its application to the end. */
export class WhileRunning {
  #stop: (() => void) | undefined;

  /** @param start answers what stops it */
  constructor(private readonly start: () => () => void) {}

  onModuleInit(): void {
    this.#stop ??= this.start();
  }

  onApplicationShutdown(): void {
    this.#stop?.();
  }
}
