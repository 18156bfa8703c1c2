import type { LocksOptions } from 'zk-locks';
import { shellWord, shownText } from 'zk-locks/inspect';
import type { BoardContender } from './board-api.js';

/** What to type to break the lock of a contender; `--yes` is left to whoever does it. */
export function breakCommand(
  key: string,
  { node, token }: Pick<BoardContender, 'node' | 'token'>,
  { root, dialect }: LocksOptions,
): string | undefined {
  if (token === undefined) return undefined;
  const words = ['zk-lock', 'break', shownText(key), '--token', token, '--node', node];
  if (root !== undefined) words.push('--root', root);
  if (dialect !== undefined) words.push('--dialect', dialect);
  return words.map(shellWord).join(' ');
}
