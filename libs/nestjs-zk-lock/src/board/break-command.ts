import type { LocksOptions } from 'zk-locks';
import { shellWord, shownText } from 'zk-locks/inspect';
import type { BoardContender } from './board-api.js';

/** The command that breaks the lock of a contender. The operator adds `--yes`, before a `--`. */
export function breakCommand(
  key: string,
  { node, token, isForeign }: Pick<BoardContender, 'node' | 'token' | 'isForeign'>,
  { root, dialect }: LocksOptions,
): string | undefined {
  if (token === undefined) return undefined;
  const name = shownText(key);
  const isLikeOption = name.startsWith('-');
  const words = ['zk-lock', 'break', ...(isLikeOption ? [] : [name])];
  words.push('--token', token, '--node', node);
  if (isForeign) words.push('--foreign');
  if (root !== undefined) words.push('--root', root);
  if (dialect !== undefined) words.push('--dialect', dialect);
  if (isLikeOption) words.push('--', name);
  return words.map(shellWord).join(' ');
}
