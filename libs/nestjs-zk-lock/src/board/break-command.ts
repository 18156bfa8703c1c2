import type { LocksOptions } from 'zk-locks';
import { shellWord, shownText } from 'zk-locks/inspect';
import type { BoardContender } from './board-api.js';

/** The command that breaks the lock of a contender. The operator adds `--yes`. */
export function breakCommand(
  key: string,
  { node, token, isForeign }: Pick<BoardContender, 'node' | 'token' | 'isForeign'>,
  { root, dialect }: LocksOptions,
): string | undefined {
  if (token === undefined) return undefined;
  const words = ['zk-lock', 'break', shownText(key), '--token', token, '--node', node];
  if (isForeign) words.push('--foreign');
  if (root !== undefined) words.push('--root', root);
  if (dialect !== undefined) words.push('--dialect', dialect);
  return words.map(shellWord).join(' ');
}
