import { Observable, Subject } from 'rxjs';
import type { LocksOptions } from 'zk-locks';
import { withinMs } from 'zk-locks/framework';
import { followTree, History, LockTree, type TreeSight } from 'zk-locks/inspect';
import type { BoardOverview } from './board-api.js';

/** What a viewer sees. */
export interface Seen {
  readonly snapshot: TreeSight;
  /** Present while nothing is known, or what has changed is still being read. */
  readonly reading: BoardOverview['reading'];
}

export interface Staleness {
  readonly since: number;
  readonly reason: string;
}

/** The connection stays for so long after the last viewer: who polls comes back every two seconds. */
const LINGER_MS = 3_000;

/** Viewers are told of changes in steps of this length. */
const STEP_MS = 250;

/** The longest wait of a viewer for what is not read yet. */
const PATIENCE_MS = 3_000;

/** Nothing was read. */
const NOTHING: TreeSight = {
  ...{ keys: new Map(), deadlocks: [], dialect: 'curator-rw' },
  ...{ areDeadlocksCut: false, areKeysCut: false },
};

/**
 * Reads the lock tree for all viewers together, over a session of its own, which there is only while
 * there are viewers: as long as a stream of changes is open, and for some seconds after each question.
 */
export class BoardSource {
  #tree: LockTree | undefined;
  #snapshot = NOTHING;
  #reading: Promise<void> | undefined;
  /** When that began, by the clock of ZooKeeper. */
  #readingSince = 0;
  /** Changes were missed that were not read yet. */
  #hasGap = false;
  /** A viewer was told that it takes long. */
  #isAwaited = false;
  #isDirty = true;
  #revision = 0;
  #stale: Staleness | undefined;
  #streams = 0;
  #leave: NodeJS.Timeout | undefined;
  #step: NodeJS.Timeout | undefined;
  #toldAt = -Infinity;
  #isClosed = false;
  #stopFollowing: (() => void) | undefined;
  readonly #changes = new Subject<number>();
  /** Of all times in which there were viewers. */
  readonly history = new History();

  constructor(private readonly options: () => LocksOptions) {}

  /** Grows with every change that was seen. */
  get revision(): number {
    return this.#revision;
  }

  /** As it was seen last; undefined while no stream is open, or nothing was read. */
  get latest(): TreeSight | undefined {
    return this.#streams > 0 && this.#snapshot !== NOTHING ? this.#snapshot : undefined;
  }

  /** Why what is shown is old; undefined while there is a connection. */
  get stale(): Staleness | undefined {
    const cause = this.#tree?.connectProblem;
    if (!this.#stale || cause === undefined) return this.#stale;
    const { since, reason } = this.#stale;
    return { since, reason: reason.includes(cause) ? reason : `${reason} ${sentence(cause)}` };
  }

  /** By the clock of ZooKeeper, as far as it is known. */
  get now(): number {
    return this.#tree?.now() ?? Date.now();
  }

  /** With the chroot. */
  get root(): string {
    return this.#tree?.root ?? '';
  }

  /** The latest there is: it is read where something has changed, once for all who ask meanwhile. */
  async read(): Promise<Seen> {
    const tree = this.#look();
    if (tree && this.#isDirty && !this.#reading) {
      this.#readingSince = this.now;
      this.#reading = this.#readTree(tree).finally(() => this.#readingEnded());
    }
    if (this.#reading) await withinMs(PATIENCE_MS, this.#reading);
    this.#isAwaited ||= this.#reading !== undefined;
    const isFirst = this.#snapshot === NOTHING;
    const isOld = isFirst || this.#hasGap || this.#reading !== undefined;
    const since = this.#reading ? this.#readingSince : this.now;
    return { snapshot: this.#snapshot, reading: isOld ? { since, isFirst } : undefined };
  }

  /** The revision now, and each later one, in steps. Completes when the application closes. */
  watch(): Observable<number> {
    return new Observable((subscriber) => {
      if (this.#isClosed) {
        subscriber.complete();
        return undefined;
      }
      this.#streams++;
      this.#look();
      subscriber.next(this.#revision);
      const subscription = this.#changes.subscribe(subscriber);
      return () => {
        subscription.unsubscribe();
        this.#streams--;
        this.#look();
      };
    });
  }

  /** Something has changed that is not in the tree. */
  touch(): void {
    this.#revision++;
    this.#tellSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changes.complete();
    await this.#end();
  }

  /** There is a viewer: connects where that is needed, and sees to it that the connection ends. */
  #look(): LockTree | undefined {
    if (this.#isClosed) return undefined;
    this.#leaveLater();
    this.#tree ??= this.#open();
    return this.#tree;
  }

  /** Not while it reads: who comes back for the answer would begin anew. */
  #leaveLater(): void {
    clearTimeout(this.#leave);
    if (this.#streams > 0) return;
    const leave = (): void => (this.#reading ? this.#leaveLater() : void this.#end());
    this.#leave = setTimeout(leave, LINGER_MS).unref();
  }

  #open(): LockTree {
    const tree = new LockTree(this.options());
    this.#stale = undefined;
    tree.onChange(() => {
      this.#isDirty = true;
      this.touch();
    });
    this.#stopFollowing = followTree(tree, this.history);
    tree.start();
    tree.session.onState(({ name }) => {
      if (tree !== this.#tree || name === 'connecting' || name === 'closed') return;
      // What was missed meanwhile is not known before it is read.
      this.#hasGap = true;
      if (name === 'connected') this.#setStale(undefined);
      else this.#setStale('The connection to ZooKeeper is lost.');
    });
    return tree;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#leave);
    clearTimeout(this.#step);
    this.#step = undefined;
    const tree = this.#tree;
    this.#stopFollowing?.();
    this.#tree = undefined;
    this.#snapshot = NOTHING;
    this.#isDirty = true;
    await tree?.close();
  }

  async #readTree(tree: LockTree): Promise<void> {
    this.#isDirty = false;
    try {
      const snapshot = await tree.look();
      if (tree !== this.#tree) return;
      this.#snapshot = snapshot;
      this.#hasGap = false;
      this.#setStale(undefined);
    } catch (error) {
      this.#isDirty = true;
      if (tree === this.#tree) this.#setStale((error as Error).message);
    }
  }

  #readingEnded(): void {
    this.#reading = undefined;
    if (this.#isAwaited) this.touch();
    this.#isAwaited = false;
  }

  /** Told at once, in both directions. */
  #setStale(reason: string | undefined): void {
    const known = this.#stale;
    if (reason === known?.reason) return;
    this.#stale = reason === undefined ? undefined : { since: known?.since ?? this.now, reason };
    this.#revision++;
    if ((known === undefined) !== (this.#stale === undefined)) this.#tell();
  }

  #tellSoon(): void {
    const waitMs = this.#toldAt + STEP_MS - performance.now();
    if (waitMs <= 0) this.#tell();
    else this.#step ??= setTimeout(() => this.#tell(), waitMs);
  }

  #tell(): void {
    clearTimeout(this.#step);
    this.#step = undefined;
    this.#toldAt = performance.now();
    this.#changes.next(this.#revision);
  }
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);
