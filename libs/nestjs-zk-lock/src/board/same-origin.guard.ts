import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnsupportedMediaTypeException,
} from '@nestjs/common';

import { noteRefusal } from './action-log.guard.js';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Refuses actions that another site's page has a user's browser send: its requests carry the user's
 * cookies. Such a page cannot say that it is of this origin, nor send JSON without asking first.
 */
@Injectable()
export class SameOriginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Headers }>();
    const { headers } = request;
    if (!isSameOrigin(headers)) {
      noteRefusal(request, 'the request came from another origin');
      throw new ForbiddenException(
        'Only the page of the lock board can take actions. A proxy must pass on the Host header as the browser sends it.',
      );
    }
    if (!/^application\/json\b/i.test(firstHeader(headers['content-type']) ?? '')) {
      noteRefusal(request, 'the request is not JSON');
      throw new UnsupportedMediaTypeException('Send JSON, with Content-Type: application/json.');
    }
    return true;
  }
}

/** By what the browser says of the request itself, else by the address of the page that sends it. */
export function isSameOrigin(headers: Headers): boolean {
  const site = firstHeader(headers['sec-fetch-site']);
  if (site !== undefined) return site === 'same-origin';
  const host = firstHeader(headers.host) ?? firstHeader(headers[':authority']);
  const origin = firstHeader(headers.origin);
  return origin !== undefined && host !== undefined && hostOf(origin) === host.toLowerCase();
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

export function firstHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
