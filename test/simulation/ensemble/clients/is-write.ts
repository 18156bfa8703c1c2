import { OpCode } from 'zk-protocol';

const WRITES: ReadonlySet<number> = new Set([
  OpCode.create,
  OpCode.create2,
  OpCode.createContainer,
  OpCode.createTTL,
  OpCode.delete,
  OpCode.setData,
  OpCode.setACL,
  OpCode.check,
  OpCode.multi,
  OpCode.reconfig,
  OpCode.closeSession,
]);

/** Whether requests of this type take a zxid. */
export function isWrite(type: number): boolean {
  return WRITES.has(type);
}
