/** A body of a test in a timer's callback: promise jobs cannot be drained inside of another one. */
export function inTimer(body: () => void): () => Promise<void> {
  return async () => {
    let run = (): void => undefined;
    const entered = new Promise<void>((resolve) => {
      run = resolve;
    });
    let failure: { readonly error: unknown } | undefined;
    setImmediate(() => {
      try {
        body();
      } catch (error) {
        failure = { error };
      }
      run();
    });
    await entered;
    if (failure) throw failure.error;
  };
}
