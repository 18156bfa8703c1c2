import type { SessionCredentials } from 'zk-client';

/**
 * The password of a session, as each ZooKeeper server from 3.5 to 3.9 computes it from the id:
 * `new java.util.Random(id ^ 0xB3415C00L).nextBytes(new byte[16])`.
 */
function sessionPassword(id: bigint): string {
  const multiplier = 0x5_deec_e66dn;
  let seed = BigInt.asUintN(48, id ^ 0xb341_5c00n ^ multiplier);
  const password = Buffer.alloc(16);
  for (let offset = 0; offset < password.length; offset += 4) {
    seed = BigInt.asUintN(48, seed * multiplier + 0xbn);
    password.writeUInt32LE(Number(seed >> 16n), offset);
  }
  return password.toString('hex');
}

/** The credentials with which an outsider can join a session. It needs only the session's id. */
export function credentialsOf(sessionId: string): SessionCredentials {
  return { id: sessionId, password: sessionPassword(BigInt(`0x${sessionId}`)) };
}
