import { BehaviorSubject, type Observable } from 'rxjs';
import type { LeaderTerm } from './leader-term.js';

/**
 * The terms of an election as observers see them: all in the same order, also when one of them ends
 * a term by what it does on hearing of it.
 */
export class TermFeed {
  readonly #subject = new BehaviorSubject<LeaderTerm | undefined>(undefined);
  readonly #untold: (LeaderTerm | undefined)[] = [];
  #isTelling = false;

  get term$(): Observable<LeaderTerm | undefined> {
    return this.#subject.asObservable();
  }

  tell(term: LeaderTerm | undefined): void {
    this.#untold.push(term);
    this.#flush();
  }

  /** Nothing more is told, but what stands in line. */
  end(): void {
    if (this.#isTelling) queueMicrotask(() => this.#subject.complete());
    else this.#subject.complete();
  }

  #flush(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    while (this.#untold.length > 0) this.#subject.next(this.#untold.shift());
    this.#isTelling = false;
  }
}
