import type { ReplicaNews } from '../replica-news.js';
import type { Fault, NewsItem, Period, ReplicaName } from './stage-api.js';

const KEPT_MS = 60_000;
const KEPT_NEWS = 50;

interface OpenFault {
  readonly fault: Fault;
  readonly replica: ReplicaName;
  readonly at: number;
  /** How and when the replica ceased to hold the lock. */
  end?: { readonly how: 'released' | 'lost' | 'ended'; readonly at: number };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** What has happened to the replicas, and what follows from it. */
export class StageRecord {
  #periods: Writable<Period>[] = [];
  readonly #news: NewsItem[] = [];
  #fault: OpenFault | undefined;
  #latestId = 0;

  get periods(): readonly Period[] {
    return this.#periods;
  }

  /** The latest first. */
  get news(): readonly NewsItem[] {
    return this.#news.toSorted((one, other) => other.at - one.at || other.id - one.id);
  }

  /** The replica that holds the lock, as far as it is known here. */
  get holder(): { readonly replica: ReplicaName; readonly from: number } | undefined {
    return this.#periods.findLast(({ kind, until }) => kind === 'held' && until === undefined);
  }

  /** Records what a replica reports about the key. */
  heard(replica: ReplicaName, news: ReplicaNews): void {
    switch (news.what) {
      case 'serving':
        return;
      case 'granted': {
        const waited = news.waitMs < 100 ? '' : ` after ${secondsText(news.waitMs)} in the queue`;
        this.#begin(replica, 'held', news.at);
        this.#tell(news.at, replica, 'plain', `got the lock${waited}. Token ${news.token}.`);
        this.#judge(replica, news.at);
        return;
      }
      case 'released':
        this.#end(replica, ['held'], news.at);
        this.#noteEnd(replica, 'released', news.at);
        return;
      case 'lost':
        this.#end(replica, ['held'], news.at, 'lost');
        this.#tell(news.at, replica, 'loss', 'is told that the lock is lost. It stops its audit.');
        this.#noteEnd(replica, 'lost', news.at);
        return;
      case 'session':
        this.#tell(news.at, replica, 'plain', SESSIONS[news.state] ?? `session: ${news.state}.`);
    }
  }

  acted(fault: Fault, replica: ReplicaName, at: number): void {
    if (this.#fault?.replica !== replica) this.#fault = { fault, replica, at };
    if (fault === 'cut') this.#begin(replica, 'cut off', at);
    this.#tell(at, undefined, 'action', ACTIONS[fault](replica));
  }

  /** The process of a replica has ended. */
  ended(replica: ReplicaName, at: number): void {
    this.#end(replica, ['held', 'cut off'], at);
    this.#begin(replica, 'ended', at);
    this.#tell(at, replica, 'plain', 'has ended.');
    this.#noteEnd(replica, 'ended', at);
  }

  /** A replica has been started again, or has its network back. */
  restored(replica: ReplicaName, at: number, how: string): void {
    this.#end(replica, ['cut off', 'ended'], at);
    if (this.#fault?.replica === replica) this.#fault = undefined;
    this.#tell(at, undefined, 'action', how);
  }

  noted(replica: ReplicaName, at: number, text: string): void {
    this.#tell(at, replica, 'loss', text);
  }

  #begin(replica: ReplicaName, kind: Period['kind'], from: number): void {
    const recent = this.#periods.filter(({ until = from }) => until > from - KEPT_MS);
    this.#periods = [...recent, { replica, kind, from }];
  }

  #end(replica: ReplicaName, kinds: Period['kind'][], until: number, becomes?: 'lost'): void {
    for (const period of this.#periods) {
      const isIt = period.replica === replica && kinds.includes(period.kind);
      if (!isIt || period.until !== undefined) continue;
      period.until = until;
      if (becomes) period.kind = becomes;
    }
  }

  #noteEnd(replica: ReplicaName, how: 'released' | 'lost' | 'ended', at: number): void {
    if (this.#fault?.replica === replica) this.#fault.end ??= { how, at };
  }

  /** States the outcome of a fault, once the other replica has got the lock. */
  #judge(next: ReplicaName, at: number): void {
    if (!this.#fault || this.#fault.replica === next) return;
    const { replica, at: from, end } = this.#fault;
    this.#fault = undefined;
    const text =
      end === undefined || end.at > at
        ? `${next} got the lock, but ${replica} was not told that it had lost it!`
        : VERDICTS[end.how](replica, next, secondsText(end.at - from), secondsText(at - end.at));
    this.#tell(at, undefined, 'verdict', text);
  }

  #tell(at: number, replica: ReplicaName | undefined, kind: NewsItem['kind'], text: string): void {
    this.#news.push({ id: ++this.#latestId, at, replica, kind, text });
    if (this.#news.length > KEPT_NEWS) this.#news.shift();
  }
}

const ACTIONS: Readonly<Record<Fault, (replica: ReplicaName) => string>> = {
  stop: (replica) => `You stop ${replica} with SIGTERM, as a deployment does.`,
  kill: (replica) => `You kill ${replica} with SIGKILL, in the middle of its audit.`,
  cut: (replica) => `You cut ${replica} off from ZooKeeper. Its process keeps running.`,
};

const VERDICTS = {
  released: (replica: string, next: string, _until: string, gap: string) =>
    `${replica} finished its audit and released the lock. ${next} got it ${gap} later.`,
  ended: (replica: string, next: string, _until: string, gap: string) =>
    `${next} got the lock ${gap} after ${replica} was killed: ZooKeeper ended the session of ${replica} first.`,
  lost: (replica: string, next: string, until: string, gap: string) =>
    `${replica} was told ${until} after the cut that the lock was lost. ${next} got it ${gap} later. At no time did both hold it.`,
};

const SESSIONS: Readonly<Record<string, string>> = {
  connecting: 'tries to connect to ZooKeeper.',
  connected: 'is connected to ZooKeeper.',
  suspended: 'gets no answer from ZooKeeper and tries to reconnect.',
  lost: 'has lost its session with ZooKeeper.',
  closed: 'has closed its session with ZooKeeper.',
};

/** `0.01 s`, `4.2 s` */
function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 100 ? 2 : 1)} s`;
}
