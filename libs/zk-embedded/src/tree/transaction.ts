import type { ACL } from 'zk-protocol';

/** What happened to a node, and the ACLs at that time. */
export type TreeEvent =
  | { readonly kind: 'changed'; readonly path: string; readonly acl: readonly ACL[] }
  | {
      readonly kind: 'created' | 'deleted';
      readonly path: string;
      readonly acl: readonly ACL[];
      readonly parentAcl: readonly ACL[];
    };

/** Changes under one zxid that are made all or not at all. */
export class Transaction {
  readonly #events: TreeEvent[] = [];
  readonly #undos: (() => void)[] = [];

  constructor(
    readonly zxid: bigint,
    /** In milliseconds since 1970. */
    readonly time: number,
  ) {}

  /** What happened, in order. Nobody may hear of it before all changes are made. */
  get events(): readonly TreeEvent[] {
    return this.#events;
  }

  /** @param undo takes back this change, those after it having been taken back before */
  record(undo: () => void, event?: TreeEvent): void {
    this.#undos.push(undo);
    if (event) this.#events.push(event);
  }

  rollBack(): void {
    for (const undo of this.#undos.splice(0).reverse()) undo();
    this.#events.length = 0;
  }
}
