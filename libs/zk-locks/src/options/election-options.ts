export interface ElectionOptions {
  /**
   * What the leader leads, shown to people who inspect the queue. At most 200 characters, stored in
   * clear text, so it must not contain secrets. If the election is already open, it keeps the label
   * of its first call.
   */
  label?: string | undefined;
  /**
   * The common name of all keys of this kind in metrics and traces, like
   * {@link AcquireOptions.pattern}. If the election is already open, it keeps the pattern of its
   * first call.
   */
  pattern?: string | undefined;
}

export interface WhenLeaderOptions {
  /** Stops the wait when it aborts; the call then rejects with a {@link LockAbortedError}. */
  signal?: AbortSignal | undefined;
}
