import { InspectError, type InspectClient } from '../../support/inspect-client.js';
import { openInspector } from '../../support/locks.js';

const REFUSALS = [-101, -102];

type Deed = (outsider: InspectClient, path: string) => Promise<unknown>;

/** All operations that an ACL can forbid. Destructive ones come last. */
const DEEDS: Readonly<Record<string, Deed>> = {
  list: (outsider, path) => outsider.children(path),
  read: (outsider, path) => outsider.get(path),
  'create in': (outsider, path) => outsider.create(`${path}/intruder`),
  'write to': (outsider, path) => outsider.set(path, '__REVOKE__'),
  'set the ACL of': (outsider, path) => outsider.restrictTo(path, 'mallory', 'secret'),
  delete: (outsider, path) => outsider.delete(path),
};

/** Other users of the same ZooKeeper: one without credentials, others with different ones. */
export class Outsiders {
  private constructor(
    private readonly insider: InspectClient,
    private readonly outsiders: readonly InspectClient[],
  ) {}

  static async open(insider: InspectClient): Promise<Outsiders> {
    const anonymous = await openInspector();
    const stranger = await openInspector();
    await stranger.withAuth('digest', 'mallory:secret');
    const impostor = await openInspector();
    await impostor.withAuth('digest', 'billing:guessed');
    return new Outsiders(insider, [anonymous, stranger, impostor]);
  }

  /**
   * The operations of outsiders that succeed on a node or on nodes below it; empty if all are
   * forbidden. Outsiders are given the nodes and need not find them.
   */
  async deedsBelow(root: string): Promise<string[]> {
    return this.deeds([root, ...(await this.insider.tree(root))]);
  }

  /** Like `deedsBelow`, for these nodes only. */
  async deeds(paths: readonly string[]): Promise<string[]> {
    const done: string[] = [];
    for (const path of paths) {
      // The parent decides whether a node may be deleted, and the parent of the topmost one is not
      // ours.
      const names = Object.keys(DEEDS).filter((name) => name !== 'delete' || path !== paths[0]);
      for (const name of names) {
        for (const outsider of this.outsiders) {
          if (!(await isForbidden(DEEDS[name]!(outsider, path)))) done.push(`${name} ${path}`);
        }
      }
    }
    return done;
  }
}

async function isForbidden(deed: Promise<unknown>): Promise<boolean> {
  try {
    await deed;
    return false;
  } catch (error) {
    // A directory that was empty may have been removed.
    return error instanceof InspectError && REFUSALS.includes(error.code);
  }
}
