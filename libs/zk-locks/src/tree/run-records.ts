import { hasReturnCode, join, ReturnCode, type Session } from 'zk-client/recipes';
import { keyOf } from '../lock/key-path.js';
import type { LastRun } from '../lock/last-run.js';
import { LockAccessError } from '../lock/lock-errors.js';
import { parseRunRecord, toLastRun } from '../runs/run-record.js';
import type { TreeReader } from './tree-reader.js';

/** The records of jobs, as far as no ACL hides them. */
export class RunRecords {
  readonly root: string;
  /** By the names of their nodes; undefined for a record that an ACL hides. */
  readonly found = new Map<string, LastRun | undefined>();
  #isListHidden = false;

  /**
   * @param root that of the locks
   * @param most how many are kept
   */
  constructor(
    private readonly session: Session,
    root: string,
    private readonly most: number,
  ) {
    this.root = `${root}-runs`;
  }

  /** The names of all records; none if an ACL hides them. */
  async names(reader: TreeReader): Promise<string[]> {
    this.#isListHidden = false;
    try {
      return await reader.names(this.root);
    } catch (error) {
      throwUnlessHidden(error);
      this.#isListHidden = true;
      return [];
    }
  }

  /** Returns false if there is no room for the record. */
  async read(reader: TreeReader, name: string): Promise<boolean> {
    const { found } = this;
    if (found.size >= this.most && !found.has(name)) return false;
    try {
      const content = await reader.visibleContent(join(this.root, name));
      const record = content && parseRunRecord(content.data);
      if (record) found.set(name, toLastRun(record));
      else found.delete(name);
    } catch (error) {
      throwUnlessHidden(error);
      found.set(name, undefined);
    }
    return true;
  }

  /** The error if an ACL hides the records of keys that begin with `prefix`, or one of them. */
  refusal(prefix: string): LockAccessError | undefined {
    if (this.#isListHidden) return this.#refusalOf(this.root);
    for (const [name, run] of this.found) {
      if (!run && keyOf(name).startsWith(prefix)) return this.#refusalOf(join(this.root, name));
    }
    return undefined;
  }

  #refusalOf(path: string): LockAccessError {
    return new LockAccessError(path, this.session.access.identity);
  }
}

function throwUnlessHidden(error: unknown): void {
  if (!hasReturnCode(error, ReturnCode.noAuth)) throw error;
}
