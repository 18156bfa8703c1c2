import { type CanActivate, type ExecutionContext, ForbiddenException } from '@nestjs/common';
import { shownText } from 'zk-locks/inspect';
import { noteRefusal } from './action-log.guard.js';
import { firstHeader, type Headers } from './same-origin.guard.js';

/** How many characters of a header to show, which can be of any length. */
const LONGEST_SHOWN = 80;

/**
 * Refuses requests for a host name that is not this application's. Another site can let its own name
 * point to this address (DNS rebinding). The browser then treats the board as part of that site, and a
 * board without guards would respond.
 */
export class KnownHostGuard implements CanActivate {
  readonly #hosts: ReadonlySet<string>;

  /** @param hosts names besides those of this computer, with or without a port */
  constructor(hosts: readonly string[]) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Headers }>();
    const { headers } = request;
    const host = firstHeader(headers.host) ?? firstHeader(headers[':authority']) ?? '';
    if (this.#isKnown(host.toLowerCase())) return true;
    const shown = shownText(host.slice(0, LONGEST_SHOWN));
    noteRefusal(request, `the request was sent to the name "${shown}"`);
    throw new ForbiddenException(
      `The lock board does not respond to the name "${shown}". It responds to localhost, loopback addresses and the names in its option \`hosts\`. Add the name there.`,
    );
  }

  #isKnown(host: string): boolean {
    const name = host.replace(/:\d*$/, '');
    return isLoopback(name) || this.#hosts.has(name) || this.#hosts.has(host);
  }
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
