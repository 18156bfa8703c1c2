import { bool, int, type Jute, long, record, ustring } from '../jute.js';

export const RequestHeader = record({ xid: int, type: int });
export type RequestHeader = Jute<typeof RequestHeader>;

export const ReplyHeader = record({ xid: int, zxid: long, err: int });
export type ReplyHeader = Jute<typeof ReplyHeader>;

/** The body of a reply whose xid is `SpecialXid.notification`. */
export const WatcherEvent = record({ type: int, state: int, path: ustring });
export type WatcherEvent = Jute<typeof WatcherEvent>;

/** Precedes each part of a `multi`, and stands alone at its end. */
export const MultiHeader = record({ type: int, done: bool, err: int });
export type MultiHeader = Jute<typeof MultiHeader>;
