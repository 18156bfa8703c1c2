import { closeSync, fstatSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/**
 * Child processes inherit the C client's sockets, for it does not ask for them to be closed there.
 * Such a socket outlives its `close()` here, and Linux's epoll goes on reporting its events under
 * the number it had. Whoever gets that number next is told of events that are not its own, and the
 * event loop, which forgets all events of a number at once when it stops polling it, may never see
 * the true ones: a new connection would stay in `connecting` for as long as the child lives.
 *
 * So the numbers of lost connections are not used again for a while: `/dev/null` is open there.
 */
const parked: number[] = [];

/** Of this many lost connections; an open `/dev/null` costs next to nothing. */
const CAPACITY = 128;

/** Where so many lower numbers are free, the wanted one is left alone. */
const MOST_OPENED = 1_000;

const isNeeded = process.platform === 'linux';

/** The number that the next file or socket opened in this turn will get; -1 where that fails. */
export function nextDescriptor(): number {
  try {
    const next = openSync(devNull, 'r');
    closeSync(next);
    return next;
  } catch {
    return -1;
  }
}

/** Takes a number out of use, if it is free. A process short of descriptors goes without. */
export function parkDescriptor(wanted: number): void {
  if (!isNeeded || wanted < 0 || isOpen(wanted)) return;
  const opened: number[] = [];
  try {
    while (opened.at(-1) !== wanted && opened.length < MOST_OPENED) {
      opened.push(openSync(devNull, 'r'));
    }
  } catch {
    // Too many open files: nothing is parked.
  } finally {
    for (const number of opened) {
      if (number === wanted) parked.push(number);
      else closeSync(number);
    }
  }
  const [oldest] = parked;
  if (parked.length > CAPACITY && oldest !== undefined) {
    parked.shift();
    closeSync(oldest);
  }
}

function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}
