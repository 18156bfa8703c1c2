import type { LockTree } from '../tree/lock-tree.js';
import type { History } from './history.js';
import type { KeyEvent } from './key-events.js';

/** The shortest pause between two reads, in milliseconds. Changes within this time can be seen as one. */
const LEAST_GAP_MS = 50;

/** About one part in this many of the time is spent on reading, */
const SHARE = 10;

/** and it pauses for no longer than this. */
const MOST_GAP_MS = 2_000;

/**
 * Keeps a history up to date: reads what has changed in a tree as soon as a change is reported.
 *
 * @param onEvents called with new events
 * @returns a function that stops it
 */
export function followTree(
  tree: LockTree,
  history: History,
  onEvents: (events: readonly KeyEvent[]) => void = () => undefined,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let hasMissed = false;
  let isStopped = false;
  let restUntil = -Infinity;
  const seen: KeyEvent[] = [];
  const soon = (): void => {
    if (isReading) hasMissed = true;
    else timer ??= setTimeout(() => void update(), Math.max(0, restUntil - performance.now()));
  };
  const begin = (): void => {
    timer = undefined;
    [isReading, hasMissed] = [true, false];
  };
  const update = async (): Promise<void> => {
    const begun = performance.now();
    begin();
    const isRead = await tree.update().then(
      () => true,
      // Callers that look at the tree get the reason.
      () => false,
    );
    if (isStopped) return;
    // The connection may have been lost after the last answer.
    const isConnected = tree.session.snapshot.state.name === 'connected';
    if (isRead && isConnected) history.look(tree.now());
    // Only once all simultaneous changes have been noted.
    onEvents(seen.splice(0));
    const took = performance.now() - begun;
    const rest = isRead ? Math.max(LEAST_GAP_MS, took * SHARE) : MOST_GAP_MS;
    restUntil = performance.now() + Math.min(rest, MOST_GAP_MS);
    isReading = false;
    if (hasMissed) soon();
  };
  history.forgetNodes();
  const stops = [
    tree.onKey((change) => {
      seen.push(...history.note(change));
    }),
    tree.onChange(soon),
    tree.session.onState(({ name }) => {
      if (name === 'suspended' || name === 'lost') history.lookAway(tree.now());
    }),
  ];
  return () => {
    isStopped = true;
    clearTimeout(timer);
    for (const stop of stops) stop();
    history.lookAway(tree.now());
  };
}
