import type { Deadlock } from '../lock/deadlock.js';
import { type DialectName, isNearEnd } from '../nodes/dialect.js';
import { isElection, type TreeContender, type TreeKey, type TreeSight } from '../tree/tree-key.js';

/**
 * A problem that an operator should look at. The set of kinds is closed; `describeProblem` has the
 * words.
 */
export type Problem =
  | KeyProblem
  /** There are more waiters than are looked at, so there may be more deadlocks. */
  | { readonly kind: 'deadlocks-cut'; readonly severity: 'warning'; readonly key?: undefined }
  /** There are more keys than are read. */
  | { readonly kind: 'keys-cut'; readonly severity: 'serious'; readonly key?: undefined };

export type KeyProblem = {
  readonly key: string;
  readonly severity: ProblemSeverity;
} & (
  | { readonly kind: 'deadlock'; readonly deadlock: Deadlock }
  /** The sequence counter of the directory comes near its end. */
  | { readonly kind: 'counter-end'; readonly found: TreeKey; readonly lastSequence: number }
  /** No session owns one or more nodes; the first of them, and how many there are. */
  | {
      readonly kind: 'ownerless';
      readonly found: TreeKey;
      readonly contender: TreeContender;
      readonly count: number;
    }
  /** The directory has children that are not lock nodes. */
  | { readonly kind: 'strangers'; readonly found: TreeKey }
  | { readonly kind: 'mixed-dialects'; readonly found: TreeKey }
  /** The nodes are of one dialect, and the tool is configured for another one. */
  | {
      readonly kind: 'other-dialect';
      readonly dialect: DialectName;
      readonly configured: DialectName;
    }
  /** There are too many nodes to read all of them. */
  | { readonly kind: 'unread'; readonly found: TreeKey }
  /** An ACL hides the nodes. */
  | { readonly kind: 'hidden' }
  | {
      readonly kind: 'long-hold';
      readonly contender: TreeContender;
      /** Since its grant, or since it was asked for if the grant was not seen. */
      readonly heldMs: number;
    }
  | {
      readonly kind: 'long-wait';
      readonly contender: TreeContender;
      readonly waitedMs: number;
      readonly waiting: number;
    }
);

export type ProblemKind = Problem['kind'];

/**
 * `serious`: calls fail, or wait for something that will not happen by itself. `warning`: worth a
 * look.
 */
export type ProblemSeverity = 'serious' | 'warning';

/** How long a wait or a hold may take before it counts as a problem, in milliseconds. */
export interface ProblemLimits {
  /** @default 60_000 */
  readonly longWaitMs?: number;
  /** Does not apply to leaders. @default 600_000 */
  readonly longHoldMs?: number;
}

const DEFAULTS: Required<ProblemLimits> = { longWaitMs: 60_000, longHoldMs: 600_000 };

const MOST_PROBLEMS = 50;

/** A wait or a hold beyond this multiple of its limit is serious. */
const SERIOUS_TIMES = 10;

/** The worst kinds first. */
const ORDER: readonly ProblemKind[] = [
  ...(['deadlock', 'deadlocks-cut', 'counter-end', 'ownerless', 'keys-cut', 'strangers'] as const),
  ...(['mixed-dialects', 'other-dialect', 'unread', 'hidden', 'long-hold', 'long-wait'] as const),
];

/**
 * Finds the problems of everything that is seen: the worst ones, at most fifty, and how many there
 * are. Pauses after each key: see `inSlices`.
 *
 * @param now by ZooKeeper's clock, in milliseconds: {@link LockTree.now}
 */
export function* problemsOf(
  sight: TreeSight,
  now: number,
  limits: ProblemLimits = {},
): Generator<undefined, { readonly worst: readonly Problem[]; readonly total: number }> {
  let worst: Problem[] = sight.deadlocks.map(deadlockProblem);
  if (sight.areDeadlocksCut) worst.push({ kind: 'deadlocks-cut', severity: 'warning' });
  if (sight.areKeysCut) worst.push({ kind: 'keys-cut', severity: 'serious' });
  let total = worst.length;
  for (const key of sight.keys.values()) {
    const found = [...nodeProblems(key, sight.dialect, now, { ...DEFAULTS, ...limits })];
    total += found.length;
    worst.push(...found);
    if (worst.length > 2 * MOST_PROBLEMS) worst = worstOf(worst);
    yield;
  }
  return { worst: worstOf(worst), total };
}

/** Like {@link problemsOf}, for one key, including the deadlocks of calls that wait for it. */
export function problemsOfKey(
  key: TreeKey,
  { deadlocks, dialect }: Pick<TreeSight, 'deadlocks' | 'dialect'>,
  now: number,
  limits: ProblemLimits = {},
): readonly Problem[] {
  const circles = deadlocks.filter((circle) => circle.some(({ waitsFor }) => waitsFor === key.key));
  return worstOf([
    ...circles.map(deadlockProblem),
    ...nodeProblems(key, dialect, now, { ...DEFAULTS, ...limits }),
  ]);
}

function worstOf(problems: readonly Problem[]): Problem[] {
  const rank = ({ severity, kind }: Problem): number =>
    (severity === 'serious' ? 0 : ORDER.length) + ORDER.indexOf(kind);
  return problems
    .toSorted((a, b) => rank(a) - rank(b) || weightOf(b) - weightOf(a))
    .slice(0, MOST_PROBLEMS);
}

/** The severity of a problem among those of its kind. */
function weightOf(problem: Problem): number {
  switch (problem.kind) {
    case 'deadlock':
      return problem.deadlock.length;
    case 'counter-end':
      return problem.lastSequence;
    case 'ownerless':
      return -problem.contender.queuedAt.getTime();
    case 'strangers':
      return problem.found.strangerCount;
    case 'unread':
      return problem.found.unread;
    case 'long-hold':
      return problem.heldMs;
    case 'long-wait':
      return problem.waitedMs;
    default:
      return 0;
  }
}

function deadlockProblem(deadlock: Deadlock): Problem {
  const key = deadlock[0]?.waitsFor ?? '';
  return { kind: 'deadlock', severity: 'serious', key, deadlock };
}

function* nodeProblems(
  found: TreeKey,
  configured: DialectName,
  now: number,
  limits: Required<ProblemLimits>,
): Iterable<KeyProblem> {
  const { key, dialects, lastSequence } = found;
  const [serious, warning] = [
    { key, severity: 'serious' },
    { key, severity: 'warning' },
  ] as const;
  if (lastSequence !== undefined && isNearEnd(lastSequence)) {
    yield { ...serious, kind: 'counter-end', found, lastSequence };
  }
  const made = [...found.holders, ...found.waiters].filter(({ isEphemeral }) => !isEphemeral);
  const [contender] = made;
  if (contender) yield { ...serious, kind: 'ownerless', found, contender, count: made.length };
  if (found.strangers.length > 0) yield { ...serious, kind: 'strangers', found };
  if (dialects.length > 1) yield { ...serious, kind: 'mixed-dialects', found };
  const [dialect] = dialects;
  if (dialects.length === 1 && dialect !== undefined && dialect !== configured) {
    yield { ...serious, kind: 'other-dialect', dialect, configured };
  }
  if (found.unread > 0) yield { ...warning, kind: 'unread', found };
  if (found.isHidden) yield { ...warning, kind: 'hidden' };
  if (!isElection(found)) yield* longOnes(found, now, limits);
}

function* longOnes(
  { key, holders, waiters, waiting }: TreeKey,
  now: number,
  { longHoldMs, longWaitMs }: Required<ProblemLimits>,
): Iterable<KeyProblem> {
  const [holder] = holders.filter(({ isEphemeral }) => isEphemeral);
  const [waiter] = waiters;
  const heldMs = holder ? now - (holder.heldSince ?? holder.queuedAt).getTime() : 0;
  const waitedMs = waiter ? now - waiter.queuedAt.getTime() : 0;
  // A lock that its process may keep unused does not count as a long hold until another process
  // waits.
  if (holder && heldMs > longHoldMs && (waiter !== undefined || !holder.holder?.keepMs)) {
    const isSerious = waiter !== undefined && heldMs > SERIOUS_TIMES * longHoldMs;
    const severity = isSerious ? 'serious' : 'warning';
    yield { kind: 'long-hold', severity, key, contender: holder, heldMs };
  }
  if (waiter && waitedMs > longWaitMs) {
    const severity = waitedMs > SERIOUS_TIMES * longWaitMs ? 'serious' : 'warning';
    yield { kind: 'long-wait', severity, key, contender: waiter, waitedMs, waiting };
  }
}
