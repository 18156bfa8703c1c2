import {
  ConflictException,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { LockService } from 'nestjs-zk-lock';
import { randomUUID } from 'node:crypto';
import {
  Observable,
  Subject,
  auditTime,
  exhaustMap,
  filter,
  finalize,
  firstValueFrom,
  fromEvent,
  interval,
  map,
  merge,
  startWith,
  takeUntil,
  timeout,
} from 'rxjs';
import type { ReplicaNews } from '../replica-news.js';
import { type SaleDay, sellOut } from '../sale-day.js';
import { Settings } from '../settings.js';
import { ZOOKEEPER, type ZooKeeper } from '../zookeeper.module.js';
import { Actor } from './actor.js';
import { keepAuditing } from './audience.js';
import type { Fault, QueuePlace, ReplicaName, SaleKind, SaleView, StageView } from './stage-api.js';
import { StageRecord } from './stage-record.js';

const SHOW = 'hamlet';
const KEY = `show:${SHOW}`;
const TICKETS = 100;
/** Each replica audits this often at a time, so that there is a queue. */
const AUDITS = 2;
const VIEW_EVERY_MS = 100;
const QUEUE_EVERY_MS = 500;
const HOLDER_WITHIN_MS = 10_000;
/**
 * How long a replica may have held the lock. Later in its audit of four seconds, it would finish before
 * it is told of the loss, or before it is killed.
 */
const WITHIN_MS: Readonly<Record<Fault, number>> = { cut: 1_000, kill: 2_500, stop: Infinity };

/** Runs two replicas, inflicts faults on them, and shows the results. They work while a page is open. */
@Injectable()
export class Stage implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #record = new StageRecord();
  readonly #changes = new Subject<void>();
  readonly #end = new AbortController();
  readonly #sales: Partial<Record<SaleKind, SaleView>> = {};
  #actors: readonly Actor[] = [];
  #queue: readonly QueuePlace[] = [];
  #viewers = 0;

  constructor(
    private readonly settings: Settings,
    private readonly locks: LockService,
    @Inject(ZOOKEEPER) private readonly zookeeper: ZooKeeper,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { connectString } = this.zookeeper;
    const create = (name: ReplicaName): Promise<Actor> =>
      Actor.create(name, connectString, this.settings.stateFile, {
        heard: (actor, news) => this.#heard(actor, news),
        ended: (actor) => this.#ended(actor),
      });
    this.#actors = await Promise.all([create('A'), create('B')]);
    await Promise.all(this.#actors.map((actor) => actor.start()));
    for (const actor of this.#actors) {
      const visit = {
        url: () => (this.#viewers > 0 ? actor.url : undefined),
        refused: (status: number, message: string) =>
          this.#note(() =>
            this.#record.noted(actor.name, Date.now(), `answers ${status}: ${message}`),
          ),
      };
      for (let count = 0; count < AUDITS; count++) {
        void keepAuditing(SHOW, visit, this.#end.signal);
      }
    }
    // The queue also changes without news: no replica reports that it has begun to wait.
    const looks = interval(QUEUE_EVERY_MS).pipe(filter(() => this.#viewers > 0));
    merge(this.#changes, looks)
      .pipe(
        takeUntil(fromEvent(this.#end.signal, 'abort')),
        auditTime(VIEW_EVERY_MS),
        exhaustMap(() => this.#readQueue().catch(() => undefined)),
      )
      .subscribe();
  }

  async onModuleDestroy(): Promise<void> {
    this.#end.abort();
    this.#changes.complete();
    await Promise.all(this.#actors.map((actor) => actor[Symbol.asyncDispose]()));
  }

  /** Emits the current view, and a new one after each change. */
  views(): Observable<StageView> {
    return new Observable<StageView>((viewer) => {
      this.#viewers++;
      return this.#changes
        .pipe(
          auditTime(VIEW_EVERY_MS),
          startWith(undefined),
          map(() => this.#view()),
          finalize(() => this.#viewers--),
        )
        .subscribe(viewer);
    });
  }

  /**
   * Sells tickets of a show of its own, through both replicas at once.
   *
   * @throws {ConflictException} unless both can sell
   */
  async sell(kind: SaleKind): Promise<void> {
    const urls = this.#actors
      .filter(({ view }) => !view.isCutOff)
      .flatMap(({ url }) => (url === undefined ? [] : [url]));
    if (urls.length < this.#actors.length)
      throw new ConflictException('Restore the replica first.');
    if (this.#sales[kind]?.state === 'selling')
      throw new ConflictException('These tickets are already being sold.');
    const show = `${kind}-${randomUUID().slice(0, 8)}`;
    const query = kind === 'unlocked' ? '?lock=none' : '';
    this.#setSale(kind, 'selling');
    try {
      this.#setSale(kind, 'done', await sellOut(show, TICKETS, urls, query, this.#end.signal));
    } catch {
      // A replica was stopped, killed or cut off in the meantime; the page says so.
      this.#setSale(kind, 'failed');
    }
  }

  /** @throws {ConflictException} if no replica gets the lock */
  async fail(fault: Fault): Promise<void> {
    const actor = await this.#holder(WITHIN_MS[fault]);
    this.#note(() => this.#record.acted(fault, actor.name, Date.now()));
    actor[fault]();
  }

  /** Starts what has ended, and mends what is cut. */
  async restore(): Promise<void> {
    await Promise.all(
      this.#actors.map(async (actor) => {
        const { name, view } = actor;
        if (view.state === 'ended') {
          await actor.start();
          this.#note(() => this.#record.restored(name, Date.now(), `You start ${name} again.`));
        } else if (view.isCutOff) {
          actor.mend();
          this.#note(() =>
            this.#record.restored(name, Date.now(), `You give ${name} its network back.`),
          );
        }
      }),
    );
  }

  #view(): StageView {
    return {
      now: Date.now(),
      key: KEY,
      replicas: this.#actors.map(({ view }) => view),
      periods: this.#record.periods,
      queue: this.#queue,
      news: this.#record.news,
      sales: this.#sales,
    };
  }

  /** Returns a replica that has held the lock for no longer than this, possibly the next holder. */
  async #holder(youngerThanMs: number): Promise<Actor> {
    const find = (): Actor | undefined => {
      const { replica, from } = this.#record.holder ?? { from: -Infinity };
      if (Date.now() - from > youngerThanMs) return undefined;
      return this.#actors.find(({ name, url }) => name === replica && url !== undefined);
    };
    try {
      return await firstValueFrom(
        this.#changes.pipe(
          startWith(undefined),
          map(find),
          filter((actor) => actor !== undefined),
          timeout(HOLDER_WITHIN_MS),
        ),
      );
    } catch {
      throw new ConflictException('No replica holds the lock.');
    }
  }

  #heard({ name }: Actor, news: ReplicaNews): void {
    if ('key' in news && news.key !== KEY) return;
    this.#note(() => this.#record.heard(name, news));
  }

  #ended({ name }: Actor): void {
    this.#note(() => this.#record.ended(name, Date.now()));
  }

  #setSale(kind: SaleKind, state: SaleView['state'], day?: SaleDay): void {
    const { counted = 0, lost = 0, ms = 0 } = day ?? {};
    this.#note(() => (this.#sales[kind] = { state, counted, lost, ms }));
  }

  #note(change: () => void): void {
    if (this.#end.signal.aborted) return;
    change();
    this.#changes.next();
  }

  async #readQueue(): Promise<void> {
    const { holders, waiters } = await this.locks.inspect(KEY);
    const place = (isHolder: boolean) => (contender: (typeof holders)[number]) => ({
      node: contender.node,
      replica: contender.holder?.application ?? 'another program',
      isHolder,
      since: contender.queuedAt.getTime(),
    });
    const queue = [...holders.map(place(true)), ...waiters.map(place(false))];
    if (JSON.stringify(queue) === JSON.stringify(this.#queue)) return;
    this.#queue = queue;
    this.#changes.next();
  }
}
