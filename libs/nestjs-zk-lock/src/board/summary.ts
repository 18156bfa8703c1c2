import { inSlices, problemsOf, type TreeSight } from 'zk-locks/inspect';
import type { BoardOverview } from './board-api.js';
import type { ResolvedBoardOptions } from './board.options.js';
import { problemView } from './problem-view.js';

/** How long all viewers of a snapshot get the same summary, in milliseconds. */
const FRESH_MS = 500;

type Summary = Pick<BoardOverview, 'totals' | 'problems' | 'totalProblems'>;

/** The summary of all keys, made once for all viewers, without blocking the event loop. */
export class Summaries {
  #latest: { snapshot: TreeSight; at: number; summary: Promise<Summary> } | undefined;

  constructor(private readonly limits: ResolvedBoardOptions) {}

  /** @param now by ZooKeeper's clock, in milliseconds */
  of(snapshot: TreeSight, now: number): Promise<Summary> {
    const known = this.#latest;
    const at = performance.now();
    if (known?.snapshot === snapshot && at - known.at < FRESH_MS) return known.summary;
    const summary = inSlices(this.#make(snapshot, now));
    this.#latest = { snapshot, at, summary };
    return summary;
  }

  *#make(snapshot: TreeSight, now: number): Generator<undefined, Summary> {
    const totals = { keys: snapshot.keys.size, held: 0, waiting: 0 };
    for (const key of snapshot.keys.values()) {
      if (key.holders.length > 0) totals.held++;
      totals.waiting += key.waiting;
      yield;
    }
    const { worst, total } = yield* problemsOf(snapshot, now, this.limits);
    const problems = worst.map((problem) => problemView(problem, now));
    return { totals, problems, totalProblems: total };
  }
}
