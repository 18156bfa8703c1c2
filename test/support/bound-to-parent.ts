import { existsSync } from 'node:fs';

export interface BoundCommand {
  readonly command: string;
  readonly args: readonly string[];
}

const SETPRIV = '/usr/bin/setpriv';

/** Linux kills the process of this command with its parent, even when that is killed itself. */
export function boundToParent(words: readonly string[]): BoundCommand {
  const [command = '', ...args] = existsSync(SETPRIV)
    ? [SETPRIV, '--pdeathsig', 'KILL', ...words]
    : words;
  return { command, args };
}
