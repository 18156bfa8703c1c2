import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type Observable, ReplaySubject, interval, map, takeUntil } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIP_MS = 50;
const SHELF_MS = 1_000;

/** The slow part of a warehouse. */
@Injectable()
export class Forklift implements BeforeApplicationShutdown {
  readonly #parked = new ReplaySubject<void>(1);

  /** @throws when `signal` aborts on the way */
  async fetch(_sku: string, signal: AbortSignal): Promise<void> {
    await sleep(TRIP_MS, undefined, { signal });
  }

  /** Drives past the shelves, one after the other, and names each. */
  shelves(sku: string): Observable<string> {
    return interval(SHELF_MS).pipe(
      map((index) => `${sku}, shelf ${index + 1}`),
      takeUntil(this.#parked),
    );
  }

  /**
   * Ends the streams, also those that begin later: otherwise Nest waits for their connections, and never
   * ends the locks' session.
   */
  beforeApplicationShutdown(): void {
    this.#parked.next();
  }
}
