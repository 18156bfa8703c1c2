import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { createHash, timingSafeEqual } from 'node:crypto';
import { readSettings } from './settings.js';

const USER = 'operator';

interface AnyRequest {
  readonly headers: { readonly authorization?: string };
  /** Seen by the lock board, which logs who has done what. */
  user?: { readonly name: string };
}

interface AnyResponse {
  header(name: string, value: string): unknown;
}

/** Admits users who have the password. A browser asks for it once, and sends it with each request. */
@Injectable()
export class OperatorGuard implements CanActivate {
  private readonly expected = digest(`${USER}:${readSettings(process.env).boardPassword}`);

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<AnyRequest>();
    const [, credentials = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const given = digest(Buffer.from(credentials, 'base64').toString());
    if (timingSafeEqual(given, this.expected)) {
      request.user = { name: USER };
      return true;
    }
    http.getResponse<AnyResponse>().header('WWW-Authenticate', 'Basic realm="Lock board"');
    throw new UnauthorizedException();
  }
}

/** Has the same length for every input. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
