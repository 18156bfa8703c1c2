export interface ElectionOptions {
  /**
   * What is led, shown to people who look at the queue. At most 200 characters, stored in clear text: no
   * secrets. If the election is open already, the label of its first call stays.
   */
  label?: string | undefined;
  /**
   * The name of this kind of key in metrics and traces, as {@link AcquireOptions.pattern}. If the election
   * is open already, the pattern of its first call stays.
   */
  pattern?: string | undefined;
}

export interface WhenLeaderOptions {
  /** Stops waiting when it aborts; the call then rejects with a {@link LockAbortedError}. */
  signal?: AbortSignal | undefined;
}
