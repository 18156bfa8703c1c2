import type { BoardContender, BoardKey, BoardKeys, BoardOverview } from '../../board-api.js';
import type { Route } from './route.js';

/** All that the page shows is a function of it. */
export interface BoardState {
  readonly route: Route;
  /** By ZooKeeper's clock; it stands still while what is shown may be outdated. */
  readonly now: number;
  readonly overview?: BoardOverview;
  /** The rows of the list that is shown, or was shown last. */
  readonly keys?: BoardKeys;
  /** The key that is shown; another one than the route's while that is fetched. */
  readonly key?: BoardKey;
  /** Present while the application does not answer as it should. */
  readonly away?: { readonly since: number; readonly reason: string };
  /** How changes are heard of. */
  readonly link: 'connecting' | 'live' | 'polling';
  readonly notice?: { readonly isError: boolean; readonly text: string };
  readonly dialog?: ActionDialog;
  /** For screen readers alone. */
  readonly announcement: string;
  readonly showsAllProblems: boolean;
}

/** What the user is about to do. */
export type ActionDialog = {
  readonly key: string;
  readonly isUnderWay?: boolean;
  readonly error?: string;
} & (
  | { readonly action: 'revoke'; readonly holders: number }
  | { readonly action: 'break'; readonly contender: BoardContender }
  | { readonly action: 'setPermits'; readonly total?: number }
  | { readonly action: 'resign' }
);

/** Where the list of keys was left, to come back to it. */
export interface ListPlace {
  readonly hash: string;
  readonly key?: string;
}
