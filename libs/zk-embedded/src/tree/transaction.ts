import type { ACL } from 'zk-protocol';

/** What happened to a node, and its ACLs at that time. */
export type TreeEvent =
  | { readonly kind: 'changed'; readonly path: string; readonly acl: readonly ACL[] }
  | {
      readonly kind: 'created' | 'deleted';
      readonly path: string;
      readonly acl: readonly ACL[];
      readonly parentAcl: readonly ACL[];
    };

/** Changes under one zxid: all are made, or none. */
export class Transaction {
  readonly #events: TreeEvent[] = [];
  readonly #undos: (() => void)[] = [];

  constructor(
    readonly zxid: bigint,
    /** In milliseconds since 1970. */
    readonly time: number,
  ) {}

  /** The events, in order. Watchers are notified only after all changes are made. */
  get events(): readonly TreeEvent[] {
    return this.#events;
  }

  /** @param undo undoes this change; later changes are undone before it */
  record(undo: () => void, event?: TreeEvent): void {
    this.#undos.push(undo);
    if (event) this.#events.push(event);
  }

  rollBack(): void {
    for (const undo of this.#undos.splice(0).reverse()) undo();
    this.#events.length = 0;
  }
}
