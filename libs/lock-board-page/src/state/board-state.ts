import type {
  BoardContender,
  BoardGroups,
  BoardKey,
  BoardKeys,
  BoardOverview,
} from '../board-api.js';
import { hashOf, type Route } from './route.js';

/** The state from which the page is rendered. */
export interface BoardState {
  readonly route: Route;
  /** ZooKeeper's time; stops while the data may be outdated. */
  readonly now: number;
  /** The time of the data of each view, by ZooKeeper's clock. */
  readonly takenAt?: Partial<Record<Route['view'], number>>;
  readonly overview?: BoardOverview;
  /** The address of the list that was fetched last, as `hashOf` returns it. */
  readonly listed?: string;
  /** The list of keys as fetched last. */
  readonly keys?: BoardKeys;
  /** The groups of keys as fetched last. */
  readonly groups?: BoardGroups;
  /** The key as fetched last; may differ from the route's while that is fetched. */
  readonly key?: BoardKey;
  /** Why there is no response; undefined while the application responds. */
  readonly away?: string;
  /** How the page learns of changes. */
  readonly link: 'connecting' | 'live' | 'polling';
  readonly notice?: { readonly isError: boolean; readonly text: string };
  readonly dialog?: ActionDialog;
  /** For screen readers only. */
  readonly announcement: string;
  readonly showsAllProblems: boolean;
  /** Whether the events of the key's history are shown as a table. */
  readonly showsEvents: boolean;
  /** How much of the history is drawn, in milliseconds; undefined for all of it. */
  readonly historyMs?: number;
}

/** An action that waits for confirmation. */
export type ActionDialog = {
  readonly key: string;
  readonly isUnderWay?: boolean;
  readonly error?: string;
  /** Whether the same request would be refused again. */
  readonly isRefused?: boolean;
} & (
  | { readonly action: 'revoke'; readonly holders: number }
  | { readonly action: 'break'; readonly contender: BoardContender }
  | { readonly action: 'setPermits'; readonly total?: number }
  | { readonly action: 'resign' }
);

/** The place in the list to return to. */
export interface ListPlace {
  readonly hash: string;
  readonly key?: string;
}

/** Whether the list that was fetched last is that of the route. */
export const isListed = ({ listed, route }: BoardState): boolean => listed === hashOf(route);
