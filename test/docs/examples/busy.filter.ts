import {
  type ArgumentsHost,
  Catch,
  ConflictException,
  HttpException,
  Logger,
} from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { LockTimeoutError } from 'nestjs-zk-lock';

/** Logs who holds a busy lock, and responds with 409. Provide it as `APP_FILTER`. */
@Catch(HttpException)
export class BusyFilter extends BaseExceptionFilter {
  readonly #logger = new Logger(BusyFilter.name);

  override catch(exception: HttpException, host: ArgumentsHost): void {
    const { cause } = exception;
    if (!(cause instanceof LockTimeoutError)) return super.catch(exception, host);
    this.#logger.warn(cause.message);
    super.catch(new ConflictException('Try again later', { cause }), host);
  }
}
