import { ServiceUnavailableException } from '@nestjs/common';
import { Observable, Subject } from 'rxjs';
import type { LocksOptions } from 'zk-locks';
import { withinMs } from 'zk-locks/framework';
import { followTree, History, LockTree, type TreeSight } from 'zk-locks/inspect';
import type { BoardOverview } from './board-api.js';

/** The locks as a viewer sees them. */
export interface Seen {
  readonly snapshot: TreeSight;
  /** Present while nothing is known, or while changes are still being read. */
  readonly reading: BoardOverview['reading'];
}

/** How long the connection outlives the last viewer. A viewer that polls returns every two seconds. */
const LINGER_MS = 3_000;

/** The shortest time between two notifications of viewers. */
const STEP_MS = 250;

/** How long a viewer waits for a read before it gets the older data. */
const PATIENCE_MS = 3_000;

/** The sight before anything has been read. */
const NOTHING: TreeSight = {
  ...{ keys: new Map(), deadlocks: [], dialect: 'curator-rw' },
  ...{ areDeadlocksCut: false, areKeysCut: false },
};

/**
 * Reads the lock tree once for all viewers, on a session of its own. The session exists only while there
 * are viewers: as long as a stream of changes is open, and for some seconds after each request.
 */
export class BoardSource {
  #tree: LockTree | undefined;
  #snapshot = NOTHING;
  #reading: Promise<void> | undefined;
  /** When the read began, by ZooKeeper's clock. */
  #readingSince = 0;
  /** Whether changes were missed and have not been read yet. */
  #hasGap = false;
  /** Whether a viewer was told that the read is still in progress. */
  #isAwaited = false;
  #isDirty = true;
  #revision = 0;
  #stale: { readonly since: number; readonly reason: string } | undefined;
  #streams = 0;
  #leave: NodeJS.Timeout | undefined;
  #step: NodeJS.Timeout | undefined;
  #toldAt = -Infinity;
  #isClosed = false;
  #stopFollowing: (() => void) | undefined;
  readonly #changes = new Subject<number>();
  /** Covers all periods in which there were viewers. */
  readonly history = new History();

  constructor(private readonly options: () => LocksOptions) {}

  /** Rises with every change that was seen. */
  get revision(): number {
    return this.#revision;
  }

  /** The latest sight; undefined while no stream is open or nothing has been read. */
  get latest(): TreeSight | undefined {
    return this.#streams > 0 && this.#snapshot !== NOTHING ? this.#snapshot : undefined;
  }

  /** Why the data are outdated; undefined while the locks can be read. */
  get stale(): BoardOverview['stale'] {
    if (!this.#stale) return undefined;
    const { since, reason } = this.#stale;
    const cause = this.#tree?.connectProblem;
    const isTold = cause === undefined || reason.includes(cause);
    return {
      since,
      reason: isTold ? reason : `${reason} ${sentence(cause)}`,
      isConnected: this.#isConnected,
    };
  }

  get #isConnected(): boolean {
    return this.#tree?.session.snapshot.state.name === 'connected';
  }

  /** The current time by ZooKeeper's clock, as far as it is known. */
  get now(): number {
    return this.#tree?.now() ?? Date.now();
  }

  /** Includes the chroot. */
  get root(): string {
    return this.#tree?.root ?? '';
  }

  /**
   * Returns the latest data. If something has changed, it is read once for all concurrent callers.
   *
   * @throws {ServiceUnavailableException} once the application shuts down
   */
  async read(): Promise<Seen> {
    const tree = this.#look();
    if (tree && this.#isDirty && !this.#reading) {
      this.#readingSince = this.now;
      this.#reading = this.#readTree(tree).finally(() => this.#readingEnded());
    }
    if (this.#reading) await withinMs(PATIENCE_MS, this.#reading);
    if (this.#isClosed) {
      throw new ServiceUnavailableException('The application is shutting down.');
    }
    this.#isAwaited ||= this.#reading !== undefined;
    const isFirst = this.#snapshot === NOTHING;
    const isOld = isFirst || this.#hasGap || this.#reading !== undefined;
    const since = this.#reading ? this.#readingSince : this.now;
    return { snapshot: this.#snapshot, reading: isOld ? { since, isFirst } : undefined };
  }

  /** Emits the current revision, and then later ones in steps. Completes when the application closes. */
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

  /** Reports a change outside of the tree. */
  touch(): void {
    this.#revision++;
    this.#tellSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changes.complete();
    await this.#end();
  }

  /** Called for each viewer: connects if necessary, and arranges for the connection to end later. */
  #look(): LockTree | undefined {
    if (this.#isClosed) return undefined;
    this.#leaveLater();
    this.#tree ??= this.#open();
    return this.#tree;
  }

  /** Does not leave during a read: a viewer that returns for the result would have to start again. */
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
      // It is not known what was missed until it has been read.
      this.#hasGap = true;
      if (name === 'connected') this.#setStale(undefined);
      else {
        this.#setStale('The connection to ZooKeeper is lost.');
        // The locks may have been unreadable before, which is told in other words.
        this.#tell();
      }
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
      // The connection may have been lost after the last answer.
      if (!this.#isConnected) return;
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

  /** Viewers are told at once of a loss of the connection, and of its return. */
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
