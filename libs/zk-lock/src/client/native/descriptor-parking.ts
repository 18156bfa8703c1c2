import { closeSync, openSync } from 'node:fs';
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

const isNeeded = process.platform === 'linux';

/** The number that the next file or socket opened in this turn will get. */
export function nextDescriptor(): number {
  const next = openSync(devNull, 'r');
  closeSync(next);
  return next;
}

/** Takes a number out of use, if it is free. */
export function parkDescriptor(wanted: number): void {
  if (!isNeeded || parked.includes(wanted)) return;
  const opened: number[] = [];
  do opened.push(openSync(devNull, 'r'));
  while ((opened.at(-1) ?? wanted) < wanted);
  for (const number of opened) {
    if (number === wanted) parked.push(number);
    else closeSync(number);
  }
  if (parked.length > CAPACITY) closeSync(parked.shift() ?? wanted);
}
