import { OpCode } from 'zk-protocol';

/** The last request of a connection, as the word `cons` shows it. */
const ABBREVIATIONS: ReadonlyMap<number, string> = new Map([
  [OpCode.create, 'CREA'],
  [OpCode.create2, 'CREA'],
  [OpCode.createContainer, 'CREA'],
  [OpCode.createTTL, 'CREA'],
  [OpCode.delete, 'DELE'],
  [OpCode.exists, 'EXIS'],
  [OpCode.getData, 'GETD'],
  [OpCode.setData, 'SETD'],
  [OpCode.getACL, 'GETA'],
  [OpCode.setACL, 'SETA'],
  [OpCode.getChildren, 'GETC'],
  [OpCode.getChildren2, 'GETC'],
  [OpCode.getAllChildrenNumber, 'GETACN'],
  [OpCode.getEphemerals, 'GETE'],
  [OpCode.sync, 'SYNC'],
  [OpCode.check, 'CHEC'],
  [OpCode.multi, 'MULT'],
  [OpCode.multiRead, 'MLTR'],
  [OpCode.ping, 'PING'],
  [OpCode.closeSession, 'CLOS'],
  [OpCode.whoAmI, 'HOMI'],
  [OpCode.setWatches, 'SETW'],
  [OpCode.setWatches2, 'STW2'],
  [OpCode.addWatch, 'ADDW'],
  [OpCode.checkWatches, 'CHKW'],
  [OpCode.removeWatches, 'REMW'],
]);

/** Counts the packets of a connection. */
export class Traffic {
  received = 0;
  sent = 0;
  /** `NA` until there was a request. */
  lastOperation = 'NA';
  /** The xid of the last request; pings have none. */
  lastXid = -1;
  lastZxid = -1n;
  /** On the monotonic clock, in milliseconds. */
  lastReplyAt = 0;

  /** @param frame with the header of a reply */
  answered(type: number, frame: Buffer, now: number): void {
    const xid = frame.readInt32BE(4);
    if (xid >= 0) this.lastXid = xid;
    this.lastZxid = frame.readBigInt64BE(8);
    this.lastOperation = ABBREVIATIONS.get(type) ?? 'NA';
    this.lastReplyAt = now;
  }
}
