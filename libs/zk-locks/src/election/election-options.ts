export interface ElectionOptions {
  /**
   * Says what is led, to people who look at the queue; at most 200 characters, in clear text, so no
   * secrets. Where the election is open already, the label of its first call stays.
   */
  label?: string | undefined;
  /**
   * Stands for it in metrics and traces, as {@link AcquireOptions.pattern}. Where the election is open
   * already, the pattern of its first call stays.
   */
  pattern?: string | undefined;
}

export interface WhenLeaderOptions {
  /** Stops waiting when it aborts; the call then rejects with a {@link LockAbortedError}. */
  signal?: AbortSignal | undefined;
}
