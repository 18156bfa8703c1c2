/** The data of the demo's page. All times are milliseconds since 1970, by one clock. */
export interface StageView {
  readonly now: number;
  /** The key that both replicas lock all the time. */
  readonly key: string;
  readonly replicas: readonly ReplicaView[];
  /** The periods of the last minute. */
  readonly periods: readonly Period[];
  /** The key's nodes in ZooKeeper: who holds it, then who waits. */
  readonly queue: readonly QueuePlace[];
  /** The latest first. */
  readonly news: readonly NewsItem[];
  readonly sales: Readonly<Partial<Record<SaleKind, SaleView>>>;
}

export type ReplicaName = 'A' | 'B';

export type ReplicaState = 'starting' | 'running' | 'stopping' | 'ended';

export interface ReplicaView {
  readonly name: ReplicaName;
  readonly pid: number | undefined;
  readonly state: ReplicaState;
  readonly isCutOff: boolean;
  /** The state of its session with ZooKeeper, as the replica knows it. */
  readonly session: string;
}

export interface Period {
  readonly replica: ReplicaName;
  /** `held` and `lost`: it held the lock, and has released or lost it. */
  readonly kind: 'held' | 'lost' | 'cut off' | 'ended';
  readonly from: number;
  readonly until?: number;
}

export interface QueuePlace {
  readonly node: string;
  readonly replica: string;
  readonly isHolder: boolean;
  readonly since: number;
}

export interface NewsItem {
  readonly id: number;
  readonly at: number;
  /** Undefined for what the page's user has done, and for verdicts. */
  readonly replica: ReplicaName | undefined;
  readonly kind: 'plain' | 'loss' | 'action' | 'verdict';
  readonly text: string;
}

export type SaleKind = 'unlocked' | 'locked';

export interface SaleView {
  readonly state: 'selling' | 'done' | 'failed';
  readonly counted: number;
  readonly lost: number;
  readonly ms: number;
}

/** What can be done to the replica that holds the lock. */
export type Fault = 'stop' | 'kill' | 'cut';
