import { dirname } from 'node:path';
import { ownFile } from '../own-file.js';

/** A lock of a nest, as far as its order is concerned. */
export interface NestedLock {
  /** Stands for its key; else each key is a pair of its own. */
  readonly pattern: string;
  readonly directory: string;
}

/** Keys without a pattern may be without number. */
const MOST_ORDERS = 1_000;

const MOST_FRAMES = 5;

/** Of which our own are left out. */
const CAPTURED_FRAMES = 30;

/**
 * The orders in which key patterns are taken inside each other in this process. Two calls that take
 * them in different orders can wait for each other, in this process or in several.
 */
export class NestingOrders {
  /** Where each order was seen first. */
  readonly #seen = new Map<string, string>();

  /** @param warn is told of each pair once */
  constructor(private readonly warn: (message: string) => void) {}

  /** `inner` is asked for while `outer` is held. */
  note(outer: NestedLock, inner: NestedLock): void {
    if (outer.directory === inner.directory) return;
    const order = orderOf(outer, inner);
    if (this.#seen.has(order) || this.#seen.size >= MOST_ORDERS) return;
    const here = callers();
    this.#seen.set(order, here);
    const there = this.#seen.get(orderOf(inner, outer));
    if (there === undefined) return;
    this.warn(
      `Locks are nested in both orders, so that two calls can wait for each other: "${inner.pattern}" inside "${outer.pattern}" (${here}), and "${outer.pattern}" inside "${inner.pattern}" (${there}). Take them in one order everywhere, or together by withLocks(). To turn this warning off, set \`warnNesting: false\`.`,
    );
  }
}

/** Two keys of one pattern have the order of their names. */
function orderOf(outer: NestedLock, inner: NestedLock): string {
  const isSame = outer.pattern === inner.pattern;
  const names = isSame ? (outer.directory < inner.directory ? '<' : '>') : '';
  return `${outer.pattern}\n${inner.pattern}\n${names}`;
}

/** Who calls us, innermost first. */
function callers(): string {
  const trace: { stack?: string } = {};
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = CAPTURED_FRAMES;
  Error.captureStackTrace(trace, callers);
  Error.stackTraceLimit = stackTraceLimit;
  const frames = (trace.stack ?? '').split('\n').slice(1);
  const foreign = frames.filter((frame) => !isOurs(frame));
  // An application's bundle has us and itself in one file.
  const shown = foreign.length > 0 ? foreign : frames;
  return shown
    .slice(0, MOST_FRAMES)
    .map((frame) => frame.trim())
    .join(', ');
}

const OWN_FOLDER = dirname(ownFile);

function isOurs(frame: string): boolean {
  return frame.includes(OWN_FOLDER) || frame.includes('(node:') || frame.includes('at node:');
}
