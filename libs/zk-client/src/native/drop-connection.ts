import { parkDescriptor } from './descriptor-parking.js';
import type { NativeHandle } from './native-module.js';
import { setImmediate } from '../real-time.js';

export const CONNECTED_STATE = 3;

/** A send has failed: the C client has closed the socket without an event. */
const SEND_FAILED_STATE = 999;

/**
 * No server listens there. With it as the only server, the C client closes its socket without the
 * CloseSession request that `close()` would send.
 */
const NOWHERE = '127.255.255.254:1';

const underway = new Set<Promise<void>>();

/**
 * Closes the socket and frees the handle; the session stays as it is on the server.
 *
 * @param descriptor the number that the handle's socket has or had
 */
export function dropConnection(handle: NativeHandle, descriptor: number): Promise<void> {
  handle.removeAllListeners();
  // At once: if the event loop polls the closed socket again, the process ends. Without a socket this
  // is safe inside the handle's own callbacks too. It answers the calls in flight.
  if (handle.native.state === SEND_FAILED_STATE) handle.close();
  // If the C client has closed it: before another socket gets the number.
  parkDescriptor(descriptor);
  const drop = new Promise<void>((resolve) => {
    // Not here: closing inside one of the handle's own callbacks ends the process.
    setImmediate(() => {
      try {
        if (handle.native.state === CONNECTED_STATE) handle.native.set_servers(NOWHERE);
        // Does nothing the second time.
        handle.close();
      } finally {
        parkDescriptor(descriptor);
        underway.delete(drop);
        resolve();
      }
    });
  });
  underway.add(drop);
  return drop;
}

/**
 * Calls `open` when no handle of this process is about to be freed. Before that a new one must not
 * be opened: the C client may have closed a file descriptor whose number the event loop still polls
 * for the old handle, and polling one number twice ends the process.
 */
export async function openAfterDrops<T>(open: () => T): Promise<T> {
  while (underway.size > 0) await Promise.all(underway);
  return open();
}
