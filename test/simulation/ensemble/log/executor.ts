import { OpCode } from 'zk-protocol';
import type { ClientPort } from '../clients/client-port.js';
import type { Disk } from './disk.js';
import type { Entry, Request } from './entry.js';
import type { Replica } from './replica.js';

/** The session that ends by this request, if any. */
export function endedBy(request: Request): bigint | undefined {
  if (request.kind === 'end') return request.sessionId;
  if (request.kind !== 'write' || request.received.type !== OpCode.closeSession) return undefined;
  return request.sessionId;
}

/** Executes committed entries on a server that serves clients, and notifies the askers. */
export class Executor {
  constructor(
    private readonly replica: Replica,
    private readonly disk: Disk,
    private readonly port: ClientPort,
  ) {}

  execute(entry: Entry): void {
    const { request } = entry;
    const answer = this.replica.apply(entry);
    this.disk.noteApplied(this.replica);
    const isOurs = request.asker?.port === this.port;
    if (isOurs) request.asker.applied(entry, answer);
    const ended = endedBy(request);
    // A client that closed its own session gets its answer first, and then the connection is
    // closed.
    if (ended !== undefined && !isOurs) this.port.connectionOf(ended)?.destroy();
  }
}
