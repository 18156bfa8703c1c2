import { OpCode } from 'zk-protocol';
import type { WireClient, WireReply } from '../support/wire-client.js';

/**
 * What the server does about a request that may never be answered. Requests are answered in order,
 * so that the answer to a second one tells.
 */
export async function fateOf(
  client: WireClient,
  type: number,
  body: Buffer = Buffer.alloc(0),
): Promise<WireReply | 'no answer' | 'closed'> {
  const asked = client.askRaw(type, body).catch(() => 'closed' as const);
  const next = client
    .ask(OpCode.getChildren, { path: '/', watch: false })
    .then(() => 'no answer' as const)
    .catch(() => asked);
  return Promise.race([asked, next]);
}
