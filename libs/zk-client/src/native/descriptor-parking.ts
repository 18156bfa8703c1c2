import { closeSync, fstatSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/**
 * Child processes inherit the C client's sockets, which are not opened close-on-exec. Such a socket
 * outlives its `close()` here, and Linux's epoll goes on reporting its events under its number. The next
 * socket with that number gets those events. When the event loop stops polling a number, it forgets all
 * of its events at once, so it may never see the true ones: a new connection would stay in `connecting`
 * for as long as the child lives.
 *
 * So the numbers of lost connections are not used again for a while: `/dev/null` is opened in their place.
 */
const parked: number[] = [];

/** For this many lost connections; an open `/dev/null` is cheap. */
const CAPACITY = 128;

/** If more lower numbers than this are free, the number is not parked. */
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

/** Takes a number out of use, if it is free; does nothing in a process that is short of descriptors. */
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
