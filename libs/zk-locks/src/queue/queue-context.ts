import type { Session } from '../session/session.js';
import type { Dialect } from './dialect.js';
import type { Directories } from './directories.js';
import type { DirectoryLists } from './directory-lists.js';
import type { NodeRemover } from './node-remover.js';

/** What all contenders of one process share. */
export interface QueueContext {
  readonly session: Session;
  readonly lists: DirectoryLists;
  readonly directories: Directories;
  readonly remover: NodeRemover;
  readonly dialect: Dialect;
  /** Who they are, for people who look at the queue. */
  readonly application: string | undefined;
  /** With the chroot. */
  readonly root: string;
  readonly sessionTimeoutMs: number;
  readonly connectTimeoutMs: number;
}
