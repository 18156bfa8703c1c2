import type { BoardOverview } from '../board-api.js';
import { fetchGroups, fetchKey, fetchKeys, fetchOverview, RequestError } from '../data/requests.js';
import { Refresher } from '../data/refresher.js';
import { announcementOf } from '../text/announcements.js';
import type { BoardState, ListPlace } from './board-state.js';
import { hashOf, type KeysQuery, type Route, routeOf } from './route.js';

const AT_MOST_EVERY_MS = 250;
const FILTER_AFTER_MS = 150;

/** Holds the state, fetches data, and handles navigation. Calls `draw` on each change. */
export class Board {
  #state: BoardState;
  /** ZooKeeper's clock minus the browser's, in milliseconds. */
  #offset: number | undefined;
  #listPlace: ListPlace = { hash: '#' };
  #filterTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #refresher = new Refresher((signal) => this.#fetch(signal), AT_MOST_EVERY_MS);

  constructor(private readonly draw: (board: Board) => void) {
    this.#state = {
      route: routeOf(location.hash),
      now: Date.now(),
      link: 'connecting',
      announcement: '',
      showsAllProblems: false,
      showsEvents: false,
    };
  }

  get state(): BoardState {
    return this.#state;
  }

  get listPlace(): ListPlace {
    return this.#listPlace;
  }

  update(change: Partial<BoardState>): void {
    this.#state = { ...this.#state, ...change };
    this.draw(this);
  }

  refresh(): void {
    this.#refresher.ask();
  }

  refreshNow(): void {
    this.#refresher.askNow();
  }

  /** Call when the hash of the address has changed. */
  routeChanged(): void {
    const left = this.#state.route;
    const route = routeOf(location.hash);
    if (left.view === 'keys') {
      this.#listPlace = {
        hash: hashOf(left),
        ...(route.view === 'key' ? { key: route.key } : undefined),
      };
    }
    clearTimeout(this.#filterTimer);
    this.update({ route, dialog: undefined, notice: undefined });
    this.refreshNow();
  }

  /** Typing replaces the current entry of the browser's history; other changes add an entry. */
  query(change: Partial<KeysQuery>): void {
    const { route } = this.#state;
    if (route.view !== 'keys') return;
    const next: Route = { view: 'keys', query: { ...route.query, offset: 0, ...change } };
    const isTyping = 'filter' in change;
    if (isTyping) history.replaceState(null, '', hashOf(next));
    else history.pushState(null, '', hashOf(next));
    this.update({ route: next });
    clearTimeout(this.#filterTimer);
    if (isTyping) this.#filterTimer = setTimeout(() => this.refreshNow(), FILTER_AFTER_MS);
    else this.refreshNow();
  }

  /** Advances the ages, unless the data may be outdated. */
  tick(): void {
    const { overview, away } = this.#state;
    this.update(away ? {} : { now: this.#shownTime(overview) });
  }

  serverTime(): number {
    return Date.now() + (this.#offset ?? 0);
  }

  /** @returns whether it has succeeded, or was superseded */
  async #fetch(signal: AbortSignal): Promise<boolean> {
    const { route } = this.#state;
    try {
      const [overview, shown] = await Promise.all([
        fetchOverview(signal),
        fetchShown(route, signal),
      ]);
      if (!signal.aborted) this.#take(overview, shown, route.view);
      return true;
    } catch (error) {
      // Superseded by `refreshNow`.
      if (signal.aborted && !isTimeout(signal)) return true;
      const away =
        error instanceof RequestError ? error.message : 'The page has failed: reload it.';
      this.#say({ ...this.#state, away });
      return false;
    }
  }

  #take(overview: BoardOverview, shown: Shown, view: Route['view']): void {
    this.#setClock(overview.now);
    const now = this.#shownTime(overview);
    const isRead = view !== 'key' || shown.key !== undefined;
    const takenAt = { ...this.#state.takenAt, application: now, ...(isRead && { [view]: now }) };
    this.#say({ ...this.#state, ...shown, overview, now, takenAt, away: undefined });
  }

  /** The time to show. If the data may be outdated, it is the time of the data, so that all pages show the same. */
  #shownTime({ stale, reading }: Partial<BoardOverview> = {}): number {
    return stale?.since ?? reading?.since ?? this.serverTime();
  }

  #say(next: BoardState): void {
    const announcement = announcementOf(this.#state, next) ?? next.announcement;
    this.#state = next;
    this.update({ announcement });
  }

  /** Ignores small differences, which come from delayed responses and would make ages jump. */
  #setClock(now: number): void {
    const offset = now - Date.now();
    if (this.#offset === undefined || Math.abs(offset - this.#offset) > 700) this.#offset = offset;
  }
}

type Shown = Pick<BoardState, 'listed' | 'keys' | 'groups' | 'key'>;

async function fetchShown(route: Route, signal: AbortSignal): Promise<Shown> {
  switch (route.view) {
    case 'keys': {
      const listed = hashOf(route);
      return route.query.isGrouped
        ? { listed, groups: await fetchGroups(route.query, signal) }
        : { listed, keys: await fetchKeys(route.query, signal) };
    }
    case 'key': {
      const key = await fetchKey(route.key, route.offset, signal);
      return key.isReading ? {} : { key };
    }
    case 'application':
      return {};
  }
}

const isTimeout = (signal: AbortSignal): boolean =>
  signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
