import { hostname } from 'node:os';
import type { ModulesContainer } from '@nestjs/core';
import { map, Observable } from 'rxjs';
import { formatAddress, inSlices, parseConnectString, problemsOfKey } from 'zk-locks/inspect';
import { internalsOf, type LockService } from '../lock.service.js';
import type {
  BoardAction,
  BoardKey,
  BoardGroups,
  BoardKeyRow,
  BoardKeys,
  BoardOverview,
} from './board-api.js';
import type { ResolvedBoardOptions } from './board.options.js';
import { BoardSource } from './board-source.js';
import type { Sight } from './contender-view.js';
import { type Described, describeAll, withOutcomes } from './decorated-methods.js';
import { historyView } from './history-view.js';
import { keyGroups } from './key-groups.js';
import { type KeysQuestion, keyRows } from './key-rows.js';
import { isKept, keyView, nothingAt } from './key-view.js';
import { Summaries } from './summary.js';

/** Sends something this often, because proxies close silent streams. */
const HEARTBEAT_MS = 10_000;

/** How often to look for problems that arise merely because time passes. */
const PROBLEMS_MS = 5_000;

export interface ChangeMessage {
  readonly data?: { readonly revision: number };
  readonly retry?: number;
  readonly comment?: string;
}

/** The board of one connection. */
export class Board {
  readonly #source = new BoardSource(() => internalsOf(this.locks()).options());
  readonly #summaries: Summaries;
  #methods: readonly Described[] = [];
  #stop: (() => void) | undefined;
  #clock: NodeJS.Timeout | undefined;
  #problems = '';

  /**
   * @param locks throws if the application has no such connection
   * @param connection its name; undefined for the unnamed one
   */
  constructor(
    private readonly locks: () => LockService,
    private readonly options: ResolvedBoardOptions,
    private readonly connection: string | undefined,
    private readonly modules: ModulesContainer,
  ) {
    this.#summaries = new Summaries(options);
  }

  /** @throws {ZkLockConfigError} if the application has no such connection */
  start(): void {
    const { session } = this.locks();
    this.#methods = [...describeAll(this.modules, this.connection)];
    this.#stop = session.onState(() => this.#source.touch());
    this.#clock = setInterval(() => void this.#lookForProblems(), PROBLEMS_MS).unref();
  }

  async overview(may: Readonly<Record<BoardAction, boolean>>): Promise<BoardOverview> {
    const source = this.#source;
    const { longWaitMs, longHoldMs } = this.options;
    const { snapshot, reading } = await source.read();
    const { revision, now, stale, root } = source;
    const summary = await this.#summaries.of(snapshot, now);
    return {
      ...{ revision, now, ...(stale && { stale }), ...(reading && { reading }) },
      ...{ connection: this.connection ?? '', root },
      process: this.#process(),
      ...this.#session(),
      ...summary,
      ...{ may, limits: { longWaitMs, longHoldMs } },
      methods: withOutcomes(this.#methods, internalsOf(this.locks()).outcomes),
    };
  }

  async keys(question: KeysQuestion, sight: Sight): Promise<BoardKeys> {
    const { snapshot, reading } = await this.#source.read();
    const { keys } = snapshot;
    const { revision } = this.#source;
    const { rows, ...found } = await inSlices(keyRows(keys, question, sight));
    return {
      ...{ revision, ...(reading?.isFirst && { isReading: true }) },
      ...found,
      rows: rows.map((row) => ({ ...row, ...this.#ownView(row.key) })),
    };
  }

  async groups(question: KeysQuestion): Promise<BoardGroups> {
    const { snapshot, reading } = await this.#source.read();
    const { revision } = this.#source;
    const found = await inSlices(keyGroups(snapshot.keys, question));
    return { revision, ...(reading?.isFirst && { isReading: true }), ...found };
  }

  async key(name: string, offset: number, sight: Sight): Promise<BoardKey> {
    const { snapshot, reading } = await this.#source.read();
    const key = snapshot.keys.get(name);
    const { revision, now, history } = this.#source;
    const { state } = this.locks().session.snapshot;
    if (state.name === 'connected') history.livesOn(state.sessionId);
    const past = historyView(history, name, key);
    const known = { revision, ...(past && { history: past }) };
    if (!key) {
      const wasSeen = past !== undefined && past.events.length > 0;
      if (reading?.isFirst) return { ...known, ...nothingAt(name, { isReading: true }) };
      return { ...known, ...nothingAt(name, wasSeen ? {} : { isUnknown: true }) };
    }
    const context = {
      now,
      options: internalsOf(this.locks()).options(),
      own: internalsOf(this.locks()).ownSight(name),
      problems: problemsOfKey(key, snapshot, now, this.options),
      permits: internalsOf(this.locks()).agreedPermits.find(name),
    };
    return { ...known, ...keyView(key, context, offset, sight) };
  }

  changes(): Observable<ChangeMessage> {
    const revisions = this.#source
      .watch()
      .pipe(
        map((revision, index) => ({ data: { revision }, ...(index === 0 && { retry: 1_000 }) })),
      );
    return new Observable<ChangeMessage>((subscriber) => {
      const beat = setInterval(() => subscriber.next({ comment: 'still here' }), HEARTBEAT_MS);
      const subscription = revisions.subscribe(subscriber);
      return () => {
        clearInterval(beat);
        subscription.unsubscribe();
      };
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#clock);
    this.#stop?.();
    await this.#source.close();
  }

  /** The parts of a row that other processes cannot see. */
  #ownView(key: string): Partial<BoardKeyRow> {
    const { cohort, election } = internalsOf(this.locks()).ownSight(key);
    return {
      ...(election && { kind: 'election' }),
      ...(cohort && isKept(cohort) && { isKept: true }),
    };
  }

  #process(): BoardOverview['process'] {
    const { application } = internalsOf(this.locks()).options();
    const { pid } = process;
    return { ...(application !== undefined && { application }), host: hostname(), pid };
  }

  #session(): Pick<BoardOverview, 'session' | 'servers'> {
    const { state, servers, configuredServer } = this.locks().session.snapshot;
    const connected = state.name === 'connected' ? configuredServer : undefined;
    return {
      session: {
        state: state.name,
        ...('timeoutMs' in state && { timeoutMs: state.timeoutMs }),
      },
      servers: parseConnectString(servers)
        .servers.map(formatAddress)
        .map((address) => ({ address, isConnected: address === connected })),
    };
  }

  /** Notifies viewers of problems that appear or disappear while nothing else changes. */
  async #lookForProblems(): Promise<void> {
    const { latest, now, stale } = this.#source;
    // The reason may be known by now.
    if (stale) this.#source.touch();
    if (!latest) return;
    const summary = await this.#summaries.of(latest, now);
    const problems = summary.problems
      .map(({ kind, key, severity }) => `${kind} ${severity} ${key}`)
      .join('\n');
    if (problems !== this.#problems) this.#source.touch();
    this.#problems = problems;
  }
}
