/** `problem`: something to do. `note`: worth knowing. */
export type Level = 'ok' | 'note' | 'problem';

export interface Finding {
  readonly level: Level;
  /** A server, a key, or the check. */
  readonly about: string;
  readonly message: string;
  /** What to do, as sentences. */
  readonly remedy?: string;
}

export const ok = (about: string, message: string): Finding => ({ level: 'ok', about, message });

export const note = (about: string, message: string, remedy: string): Finding => ({
  ...{ level: 'note', about, message, remedy },
});

export const problem = (about: string, message: string, remedy: string): Finding => ({
  ...{ level: 'problem', about, message, remedy },
});
