import type { CreateMode } from './zookeeper-client.js';

/** What the server appends to the path of a sequential node. */
const SEQUENCE = /^(\d{10}|-\d{9,10})$/;

/** Whether a node that was to be created at `path` can have been created there. */
export function isCreatedPath(path: string, mode: CreateMode, created: unknown): boolean {
  if (typeof created !== 'string' || !created.startsWith(path)) return false;
  const appended = created.slice(path.length);
  return mode === 'ephemeral-sequential' ? SEQUENCE.test(appended) : appended === '';
}

/** A server may raise what it is asked for to a minimum of its own, which is 2 ticks where nobody set it. */
const MOST_TIMES = 4;

/**
 * How much of a granted session timeout is believed. All that watches the server counts in it, and
 * whoever asked for seconds must not be deaf for days. A lease that is over too early is a safe one.
 */
export function believableTimeoutMs(grantedMs: number, askedMs: number): number {
  return Math.min(grantedMs, MOST_TIMES * askedMs);
}

/** Whether a node can have this name. */
export function isName(name: unknown): boolean {
  if (typeof name !== 'string' || name === '' || name.includes('/')) return false;
  return name !== '.' && name !== '..';
}
