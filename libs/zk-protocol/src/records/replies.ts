import { buffer, int, type Jute, nothing, record, ustring, vector } from '../jute.js';
import { OpCode } from '../op-code.js';
import { AclList, ClientInfo, Stat } from './data.js';
import { saslToken, type SingleRequestType } from './requests.js';

const stat = record({ stat: Stat });
const created = record({ path: ustring });
const createdWithStat = record({ path: ustring, stat: Stat });
const dataWithStat = record({ data: buffer, stat: Stat });
const children = vector(ustring);

/** The body of a reply without error. */
export const singleReplies = {
  [OpCode.create]: created,
  [OpCode.create2]: createdWithStat,
  [OpCode.createContainer]: createdWithStat,
  [OpCode.createTTL]: createdWithStat,
  [OpCode.delete]: nothing,
  [OpCode.exists]: stat,
  [OpCode.getData]: dataWithStat,
  [OpCode.setData]: stat,
  [OpCode.getACL]: record({ acl: AclList, stat: Stat }),
  [OpCode.setACL]: stat,
  [OpCode.getChildren]: record({ children }),
  [OpCode.getChildren2]: record({ children, stat: Stat }),
  [OpCode.getAllChildrenNumber]: record({ totalNumber: int }),
  [OpCode.getEphemerals]: record({ ephemerals: vector(ustring) }),
  [OpCode.sync]: record({ path: ustring }),
  /** The new configuration. */
  [OpCode.reconfig]: dataWithStat,
  [OpCode.check]: nothing,
  [OpCode.ping]: nothing,
  [OpCode.closeSession]: nothing,
  [OpCode.whoAmI]: record({ clientInfo: vector(ClientInfo) }),
  [OpCode.auth]: nothing,
  [OpCode.sasl]: saslToken,
  [OpCode.setWatches]: nothing,
  [OpCode.setWatches2]: nothing,
  [OpCode.addWatch]: record({ err: int }),
  [OpCode.checkWatches]: nothing,
  [OpCode.removeWatches]: nothing,
} as const satisfies Record<SingleRequestType, unknown>;

export type SingleReplyBody<T extends SingleRequestType> = Jute<(typeof singleReplies)[T]>;
