import {
  bool,
  buffer,
  int,
  type Jute,
  long,
  nothing,
  nullableUstring,
  record,
  ustring,
  vector,
} from '../jute.js';
import { OpCode } from '../op-code.js';
import { AclList } from './data.js';

const paths = vector(ustring);
const atPath = record({ path: ustring });
const atPathWatched = record({ path: ustring, watch: bool });
const atPathVersion = record({ path: ustring, version: int });
const atPathType = record({ path: ustring, type: int });
const create = record({ path: ustring, data: buffer, acl: AclList, flags: int });

/** One step of a SASL exchange, which goes back and forth until both sides are done. */
export const saslToken = record({ token: buffer });

/** The bodies of requests, most of which may also be parts of a `multi`. */
export const singleRequests = {
  [OpCode.create]: create,
  [OpCode.create2]: create,
  [OpCode.createContainer]: create,
  [OpCode.createTTL]: record({
    path: ustring,
    data: buffer,
    acl: AclList,
    flags: int,
    /** In milliseconds. */
    ttl: long,
  }),
  [OpCode.delete]: atPathVersion,
  [OpCode.exists]: atPathWatched,
  [OpCode.getData]: atPathWatched,
  [OpCode.setData]: record({ path: ustring, data: buffer, version: int }),
  [OpCode.getACL]: atPath,
  [OpCode.setACL]: record({ path: ustring, acl: AclList, version: int }),
  [OpCode.getChildren]: atPathWatched,
  [OpCode.getChildren2]: atPathWatched,
  [OpCode.getAllChildrenNumber]: atPath,
  [OpCode.getEphemerals]: record({ prefixPath: nullableUstring }),
  [OpCode.sync]: atPath,
  [OpCode.reconfig]: record({
    joiningServers: nullableUstring,
    leavingServers: nullableUstring,
    newMembers: nullableUstring,
    /** The version of the configuration to change; -1 for any. */
    currentConfigId: long,
  }),
  [OpCode.check]: atPathVersion,
  [OpCode.ping]: nothing,
  [OpCode.closeSession]: nothing,
  [OpCode.whoAmI]: nothing,
  [OpCode.auth]: record({ type: int, scheme: ustring, auth: buffer }),
  [OpCode.sasl]: saslToken,
  [OpCode.setWatches]: record({
    /** The last zxid that the client has seen. */
    relativeZxid: long,
    dataWatches: paths,
    existWatches: paths,
    childWatches: paths,
  }),
  [OpCode.setWatches2]: record({
    relativeZxid: long,
    dataWatches: paths,
    existWatches: paths,
    childWatches: paths,
    persistentWatches: paths,
    persistentRecursiveWatches: paths,
  }),
  [OpCode.addWatch]: record({ path: ustring, mode: int }),
  [OpCode.checkWatches]: atPathType,
  [OpCode.removeWatches]: atPathType,
} as const;

type SingleRequests = typeof singleRequests;
export type SingleRequestType = keyof SingleRequests;
export type SingleRequestBody<T extends SingleRequestType> = Jute<SingleRequests[T]>;
