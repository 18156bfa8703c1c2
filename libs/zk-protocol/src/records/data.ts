import { int, type Jute, long, nullableUstring, record, vector } from '../jute.js';

/** A user, in an ACL entry or as an identity: `digest` and `user:hash`, `world` and `anyone`. */
export const Id = record({ scheme: nullableUstring, id: nullableUstring });
export type Id = Jute<typeof Id>;

export const ACL = record({ perms: int, id: Id });
export type ACL = Jute<typeof ACL>;

export const AclList = vector(ACL);

/** Times are in milliseconds since 1970. */
export const Stat = record({
  czxid: long,
  mzxid: long,
  ctime: long,
  mtime: long,
  version: int,
  cversion: int,
  aversion: int,
  /** The session that owns an ephemeral node, 0 for other nodes. */
  ephemeralOwner: long,
  dataLength: int,
  numChildren: int,
  pzxid: long,
});
export type Stat = Jute<typeof Stat>;

export const ClientInfo = record({ authScheme: nullableUstring, user: nullableUstring });
export type ClientInfo = Jute<typeof ClientInfo>;
