import { InspectError, type InspectClient } from '../../support/inspect-client.js';
import { openInspector } from '../../support/locks.js';

const REFUSALS = [-101, -102];

type Deed = (outsider: InspectClient, path: string) => Promise<unknown>;

/** All that ZooKeeper's ACLs can forbid. Those that would do damage come last. */
const DEEDS: Readonly<Record<string, Deed>> = {
  list: (outsider, path) => outsider.children(path),
  read: (outsider, path) => outsider.get(path),
  'create in': (outsider, path) => outsider.create(`${path}/intruder`),
  'write to': (outsider, path) => outsider.set(path, '__REVOKE__'),
  'set the ACL of': (outsider, path) => outsider.restrictTo(path, 'mallory', 'secret'),
  delete: (outsider, path) => outsider.delete(path),
};

/** Clients of the same ZooKeeper that are not the user: nobody in particular, and somebody else. */
export class Outsiders {
  private constructor(
    private readonly insider: InspectClient,
    private readonly outsiders: readonly InspectClient[],
  ) {}

  static async open(insider: InspectClient): Promise<Outsiders> {
    const nobody = await openInspector();
    const somebody = await openInspector();
    await somebody.withAuth('digest', 'mallory:secret');
    const impostor = await openInspector();
    await impostor.withAuth('digest', 'billing:guessed');
    return new Outsiders(insider, [nobody, somebody, impostor]);
  }

  /**
   * What they could do with a node and everything below it: nothing, where all is well. They do not
   * have to find the nodes, they are shown them.
   */
  async deedsBelow(root: string): Promise<string[]> {
    return this.deeds([root, ...(await this.insider.tree(root))]);
  }

  /** As `deedsBelow`, with these nodes alone. */
  async deeds(paths: readonly string[]): Promise<string[]> {
    const done: string[] = [];
    for (const path of paths) {
      // Whether a node may be deleted is up to its parent, and the topmost one's is not ours.
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
    // A directory that was empty may vanish meanwhile.
    return error instanceof InspectError && REFUSALS.includes(error.code);
  }
}
