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
 * Refuses actions that a page of another site makes a user's browser send, with the user's cookies. Such
 * a page can neither claim this origin nor send JSON without a preflight request.
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

/** Uses `Sec-Fetch-Site` if the browser sends it, or else the origin of the page. */
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
