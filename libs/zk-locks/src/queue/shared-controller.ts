import { setMaxListeners } from 'node:events';

/**
 * A controller whose signal any number may listen to: of the eleventh Node would warn as of a leak,
 * where it is no more than eleven requests under one lock.
 */
export function newSharedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(Infinity, controller.signal);
  return controller;
}
