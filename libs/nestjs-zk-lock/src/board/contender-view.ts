import type { HolderData } from 'zk-locks';
import { cleanText, isElection, type TreeContender, type TreeKey } from 'zk-locks/inspect';
import type { BoardContender, BoardKind } from './board-api.js';

/** Of a lease, which strangers may give any name. */
const LONGEST_NODE = 200;

/** Who knows a session's id can end it. */
export interface Sight {
  readonly showsSessions: boolean;
}

export function contenderView(
  contender: TreeContender,
  { showsSessions }: Sight,
): BoardContender & { readonly since: number } {
  const { node, mode, isEphemeral, queuedAt, holder, text, session, fencingToken } = contender;
  return {
    node: mode === 'permit' ? cleanText(node).slice(0, LONGEST_NODE) : node,
    ...(mode !== 'permit' && { mode, token: String(fencingToken) }),
    ...(holder ? aboutHolder(holder) : text !== undefined && { label: text }),
    isForeign: holder === undefined,
    isEphemeral,
    since: queuedAt.getTime(),
    ...(showsSessions && session !== undefined && { session: `0x${session}` }),
  };
}

/** A node that serves several calls is older than the hold of the present one. */
export function holderView(contender: TreeContender, sight: Sight): BoardContender {
  const { since, ...view } = contenderView(contender, sight);
  return contender.holder?.cohort ? view : { ...view, since };
}

function aboutHolder(holder: HolderData): Partial<BoardContender> {
  const { application, host, pid, label, permits, cohort, revokedAt, holds } = holder;
  const revoked = revokedAt === undefined ? NaN : Date.parse(revokedAt);
  return {
    ...(application !== undefined && { application: cleanText(application) }),
    ...{ host: cleanText(host), pid },
    ...(label !== undefined && { label: cleanText(label) }),
    ...(permits !== undefined && { permits }),
    ...(cohort && { isShared: true }),
    ...(Number.isFinite(revoked) && { revokedAt: revoked }),
    ...(holds && { holds }),
  };
}

export function kindOf(key: TreeKey): BoardKind {
  return isElection(key) ? 'election' : key.kind;
}
