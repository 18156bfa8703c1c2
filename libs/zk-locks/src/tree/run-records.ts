import { join, type Session } from 'zk-client/recipes';
import type { LastRun } from '../lock/last-run.js';
import { LockAccessError } from '../lock/lock-errors.js';
import { orAccessError } from '../queue/wait.js';
import { parseRunRecord, toLastRun } from '../runs/run-record.js';
import type { TreeReader } from './tree-reader.js';

/** The records of jobs, as far as no ACL hides them. */
export class RunRecords {
  readonly root: string;
  /** By the names of their nodes. */
  readonly found = new Map<string, LastRun>();
  /** If an ACL hides some of them. */
  refusal: LockAccessError | undefined;

  /** @param root that of the locks */
  constructor(
    private readonly session: Session,
    root: string,
  ) {
    this.root = `${root}-runs`;
  }

  /** The names of all records, before all of them are read again. */
  async names(reader: TreeReader): Promise<string[]> {
    this.refusal = undefined;
    return (await this.#ifVisible(this.root, () => reader.names(this.root))) ?? [];
  }

  async read(reader: TreeReader, name: string): Promise<void> {
    const path = join(this.root, name);
    const content = await this.#ifVisible(path, () => reader.visibleContent(path));
    const record = content && parseRunRecord(content.data);
    if (record) this.found.set(name, toLastRun(record));
    else this.found.delete(name);
  }

  async #ifVisible<T>(path: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      const refusal = orAccessError(this.session, error, path);
      if (!(refusal instanceof LockAccessError)) throw error;
      this.refusal = refusal;
      return undefined;
    }
  }
}
