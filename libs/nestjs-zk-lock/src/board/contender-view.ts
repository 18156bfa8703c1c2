import type { HolderData } from 'zk-locks';
import {
  cleanText,
  isElection,
  keyOfDirectory,
  type TreeContender,
  type TreeKey,
} from 'zk-locks/inspect';
import type { BoardContender, BoardKeyState, BoardKind, BoardWho } from './board-api.js';

/** The longest name of a lease that is shown: other programs can choose any name. */
const LONGEST_NODE = 200;

/** What the viewer may see. A client that knows the id of a session can end that session. */
export interface Sight {
  readonly showsSessions: boolean;
}

export function contenderView(
  contender: TreeContender,
  { showsSessions }: Sight,
): BoardContender & { readonly since: number } {
  const { node, mode, isEphemeral, queuedAt, holder, session, fencingToken } = contender;
  return {
    node: mode === 'permit' ? cleanText(node).slice(0, LONGEST_NODE) : node,
    ...(mode !== 'permit' && { mode, token: String(fencingToken) }),
    ...whoIs(contender),
    ...(holder && sightOf(holder)),
    isEphemeral,
    since: queuedAt.getTime(),
    ...(showsSessions && session !== undefined && { session: `0x${session}` }),
  };
}

/** Without the node's age if it serves several calls, because the current hold is younger. */
export function holderView(contender: TreeContender, sight: Sight): BoardContender {
  const { since, ...view } = contenderView(contender, sight);
  const { heldSince } = contender;
  if (contender.holder?.cohort) return view;
  return { ...view, since, ...(heldSince && { heldSince: heldSince.getTime() }) };
}

/** The process and the call that a node names. */
export function whoIs({ holder, text }: TreeContender): Omit<BoardWho, 'mode'> {
  if (!holder) return { isForeign: true, ...(text !== undefined && { label: text }) };
  const { application, host, pid, label, cohort } = holder;
  return {
    ...(application !== undefined && { application: cleanText(application) }),
    ...{ host: cleanText(host), pid, isForeign: false },
    ...(label !== undefined && { label: cleanText(label) }),
    ...(cohort && { isShared: true }),
  };
}

function sightOf({ permits, revokedAt, holds }: HolderData): Partial<BoardContender> {
  const revoked = revokedAt === undefined ? NaN : Date.parse(revokedAt);
  return {
    ...(permits !== undefined && { permits }),
    ...(Number.isFinite(revoked) && { revokedAt: revoked }),
    ...(holds && { holds: [...new Set(holds.map(keyOfNode))] }),
  };
}

/** @param path of a lock node, below the root */
const keyOfNode = (path: string): string => keyOfDirectory(path.replace(/\/.*$/, ''));

/** Undefined if a key without visible holders is really free. */
export function stateOf({
  strangers,
  dialects,
  isHidden,
  unread,
  holders,
}: TreeKey): BoardKeyState | undefined {
  if (strangers.length > 0 || dialects.length > 1) return 'refused';
  if (isHidden) return 'hidden';
  return unread > 0 && holders.length === 0 ? 'unread' : undefined;
}

export function kindOf(key: TreeKey): BoardKind {
  return isElection(key) ? 'election' : key.kind;
}
