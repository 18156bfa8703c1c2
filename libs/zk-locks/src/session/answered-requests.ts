interface AnsweredRequest {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** When requests were sent and answered, oldest first, for questions about instants that only rise. */
export class AnsweredRequests {
  #requests: AnsweredRequest[] = [];

  /** Leaves it out where the latest one was answered less than `grainMs` before. */
  add(sentAt: number, answeredAt: number, grainMs: number): void {
    const last = this.#requests.at(-1);
    if (last && answeredAt - last.answeredAt < grainMs) return;
    this.#requests.push({ sentAt, answeredAt });
  }

  /**
   * When the latest request that was answered by `instant` had been sent. Forgets those before it: a
   * later question about an earlier instant may find less.
   */
  latestSentOfAnsweredBy(instant: number): number | undefined {
    const isAnswered = (request: AnsweredRequest | undefined): boolean =>
      request !== undefined && request.answeredAt <= instant;
    while (isAnswered(this.#requests[1])) this.#requests.shift();
    const [latest] = this.#requests;
    return isAnswered(latest) ? latest?.sentAt : undefined;
  }

  clear(): void {
    this.#requests = [];
  }
}
