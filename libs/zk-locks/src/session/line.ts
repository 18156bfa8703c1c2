/** Who stands in a line, and may leave it from anywhere. */
export interface InLine<T> {
  previous?: T | undefined;
  next?: T | undefined;
}

/**
 * First come, first served; joining, leaving and serving take the same time however long it is, and
 * nothing is allocated. (A `Set` that many join and leave has its table replaced again and again, and
 * each old table that was promoted to V8's old space keeps all later ones, with what was in them.)
 */
export class Line<T extends InLine<T>> {
  #head: T | undefined;
  #last: T | undefined;
  #length = 0;

  get head(): T | undefined {
    return this.#head;
  }

  get length(): number {
    return this.#length;
  }

  join(one: T): void {
    one.previous = this.#last;
    if (this.#last) this.#last.next = one;
    else this.#head = one;
    this.#last = one;
    this.#length++;
  }

  /** Whether it was in the line. */
  leave(one: T): boolean {
    const { previous, next } = one;
    if (!previous && this.#head !== one) return false;
    if (previous) previous.next = next;
    else this.#head = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    one.previous = one.next = undefined;
    this.#length--;
    return true;
  }

  /** All, the first one first. */
  all(): T[] {
    const all: T[] = [];
    this.forEach((one) => all.push(one));
    return all;
  }

  takeAll(): T[] {
    const all = this.all();
    for (const one of all) this.leave(one);
    return all;
  }

  /** Calls `visit` for all, the first one first; nobody may join or leave meanwhile. */
  forEach(visit: (one: T) => void): void {
    for (let one = this.#head; one; one = one.next) visit(one);
  }
}
