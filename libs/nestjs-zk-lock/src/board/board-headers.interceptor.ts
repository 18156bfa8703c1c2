import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Sets headers so that no other site can read or embed the page, and the page runs only its own code. */
@Injectable()
export class BoardHeaders implements NestInterceptor {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const { httpAdapter } = this.host;
    const response: unknown = context.switchToHttp().getResponse();
    for (const [name, value] of Object.entries(HEADERS)) {
      httpAdapter.setHeader(response, name, value);
    }
    return next.handle();
  }
}
