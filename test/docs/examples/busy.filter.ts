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
    const isBusy = cause instanceof LockTimeoutError;
    if (isBusy) this.#logger.warn(cause.message);
    if (host.getType() !== 'http') return; // Nest passes it on, for example to GraphQL.
    super.catch(isBusy ? new ConflictException('Try again later', { cause }) : exception, host);
  }
}
