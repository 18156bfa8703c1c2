import { dirname } from 'node:path';
import { ownFile } from '../own-file.js';

/** A nested lock, as far as the order is concerned. */
export interface NestedLock {
  /** Stands for its key; without a pattern, each key counts by itself. */
  readonly pattern: string;
  readonly directory: string;
}

/** The limit of remembered orders: the number of keys without a pattern is unlimited. */
const MOST_ORDERS = 1_000;

const MOST_FRAMES = 5;

/** Includes frames of this library, which are left out. */
const CAPTURED_FRAMES = 30;

/**
 * The orders in which this process nests key patterns. Two calls that take them in different orders
 * can wait for each other, within one process or across several.
 */
export class NestingOrders {
  /** The place in the code where each order was first seen. */
  readonly #seen = new Map<string, string>();

  /** @param warn called once for each pair */
  constructor(private readonly warn: (message: string) => void) {}

  /** Notes that `inner` is requested while `outer` is held. */
  note(outer: NestedLock, inner: NestedLock): void {
    if (outer.directory === inner.directory) return;
    const order = orderOf(outer, inner);
    if (this.#seen.has(order) || this.#seen.size >= MOST_ORDERS) return;
    const here = callers();
    this.#seen.set(order, here);
    const there = this.#seen.get(orderOf(inner, outer));
    if (there === undefined) return;
    this.warn(
      `Locks are nested in both orders, so that two calls can wait for each other: "${inner.pattern}" inside "${outer.pattern}" (${here}), and "${outer.pattern}" inside "${inner.pattern}" (${there}). Take them in one order everywhere, or together with withLocks(). To turn this warning off, set \`warnNesting: false\`.`,
    );
  }
}

/** Two keys of one pattern are ordered by their names. */
function orderOf(outer: NestedLock, inner: NestedLock): string {
  const isSame = outer.pattern === inner.pattern;
  const names = isSame ? (outer.directory < inner.directory ? '<' : '>') : '';
  return `${outer.pattern}\n${inner.pattern}\n${names}`;
}

/** The callers' stack frames, innermost first. */
function callers(): string {
  const trace: { stack?: unknown } = {};
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = CAPTURED_FRAMES;
  Error.captureStackTrace(trace, callers);
  Error.stackTraceLimit = stackTraceLimit;
  // Programs may replace the text by other values (`Error.prepareStackTrace`).
  const { stack } = trace;
  const frames = typeof stack === 'string' ? stack.split('\n').slice(1) : [];
  const foreign = frames.filter((frame) => !isOurs(frame));
  // In an application's bundle, this library and its callers are in one file.
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
