import { FrameReader, JuteWriter, OpCode, SpecialXid } from 'zk-protocol';
import { TcpRelay, type RelayedConnection } from './tcp-relay.js';
import {
  replyHeader,
  requestHeader,
  type Operation,
  type ReplyHeader,
} from './zookeeper-frames.js';

interface Loss {
  readonly operation: Operation;
  readonly of: 'request' | 'reply';
  /** @param reply undefined where the request itself was lost */
  happened(reply?: ReplyHeader): void;
}

type Verdict = 'pass' | 'cut';

/** A relay that reads along, so that it can count requests and lose a certain one. */
export class ZooKeeperRelay extends TcpRelay {
  readonly #armed: Loss[] = [];
  readonly #losses: Promise<ReplyHeader | undefined>[] = [];
  #requests = noRequests();
  #notifications = 0;

  requests(): Record<Operation, number> {
    return this.#requests;
  }

  notifications(): number {
    return this.#notifications;
  }

  resetCounters(): void {
    this.#requests = noRequests();
    this.#notifications = 0;
  }

  /** @returns a number to ask {@link lossHappened} with */
  loseNext(of: 'request' | 'reply', operation: Operation): number {
    const loss = new Promise<ReplyHeader | undefined>((happened) => {
      this.#armed.push({ operation, of, happened });
    });
    return this.#losses.push(loss) - 1;
  }

  lossHappened(loss: number): Promise<ReplyHeader | undefined> | undefined {
    return this.#losses[loss];
  }

  protected override onConnection(connection: RelayedConnection): void {
    const losing = new Map<number, Loss>();
    const { flows } = connection;
    flows.server.inspectWith(inspector(connection, (frame) => this.#judgeRequest(frame, losing)));
    flows.client.inspectWith(inspector(connection, (frame) => this.#judgeReply(frame, losing)));
  }

  #judgeRequest(frame: Buffer, losing: Map<number, Loss>): Verdict {
    const { xid, operation } = requestHeader(frame);
    if (operation === undefined) return 'pass';
    this.#requests[operation]++;
    const index = this.#armed.findIndex((loss) => loss.operation === operation);
    const [loss] = index < 0 ? [] : this.#armed.splice(index, 1);
    if (loss?.of === 'request') {
      loss.happened();
      return 'cut';
    }
    if (loss) losing.set(xid, loss);
    return 'pass';
  }

  #judgeReply(frame: Buffer, losing: ReadonlyMap<number, Loss>): Verdict {
    const reply = replyHeader(frame);
    if (reply.xid === (SpecialXid.notification as number)) this.#notifications++;
    const loss = losing.get(reply.xid);
    if (!loss) return 'pass';
    loss.happened(reply);
    return 'cut';
  }
}

/** Cuts a stream into frames and asks about each, except for the first one, the handshake. */
function inspector(
  connection: RelayedConnection,
  judge: (frame: Buffer) => Verdict,
): (bytes: Buffer) => Buffer | undefined {
  // How long a frame may be is the server's affair.
  const reader = new FrameReader(0x7fff_ffff);
  let greeted = false;
  return (bytes) => {
    const passing = new JuteWriter();
    for (const frame of reader.read(bytes)) {
      if (greeted && judge(frame) === 'cut') {
        connection.reset();
        return undefined;
      }
      greeted = true;
      passing.buffer(frame);
    }
    return passing.length > 0 ? passing.finish() : undefined;
  };
}

function noRequests(): Record<Operation, number> {
  const names = Object.keys(OpCode) as Operation[];
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Operation, number>;
}
