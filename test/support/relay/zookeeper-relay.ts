import { FrameReader, JuteWriter, OpCode, SpecialXid } from 'zk-protocol';
import { TcpRelay, type RelayedConnection } from './tcp-relay.js';
import {
  replyHeader,
  requestHeader,
  type Operation,
  type ReplyHeader,
  type RequestHeader,
} from './zookeeper-frames.js';

interface Loss {
  readonly operation: Operation;
  readonly of: 'request' | 'reply';
  /** @param reply undefined if the request itself was lost */
  happened(reply?: ReplyHeader): void;
}

/** A relay that decodes requests, so that it can count them and lose a certain one. */
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

  override resetCounters(): void {
    super.resetCounters();
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

  /** Forgets the losses that have not happened yet. */
  loseNothing(): void {
    this.#armed.length = 0;
  }

  lossHappened(loss: number): Promise<ReplyHeader | undefined> | undefined {
    return this.#losses[loss];
  }

  protected override onConnection(connection: RelayedConnection): void {
    const losing = new Map<number, Loss>();
    const unanswered = new Set<number>();
    let lost: Loss | undefined;
    const { flows, reset } = connection;
    const cut = (loss: Loss, reply?: ReplyHeader): void => {
      reset();
      loss.happened(reply);
    };
    flows.server.inspectWith(
      filter((frame) => {
        if (lost) return false;
        const header = requestHeader(frame);
        lost = this.#requestToLose(header, losing);
        if (!lost) unanswered.add(header.xid);
        else if (unanswered.size === 0) cut(lost);
        return !lost;
      }),
    );
    flows.client.inspectWith(
      filter((frame) => {
        const reply = replyHeader(frame);
        if (reply.xid === (SpecialXid.notification as number)) this.#notifications++;
        unanswered.delete(reply.xid);
        const loss = losing.get(reply.xid);
        if (loss) cut(loss, reply);
        // The requests before the lost one have reached the server.
        else if (lost && unanswered.size === 0) cut(lost);
        return !loss;
      }),
    );
  }

  #requestToLose({ xid, operations }: RequestHeader, losing: Map<number, Loss>): Loss | undefined {
    for (const operation of operations) this.#requests[operation]++;
    const index = this.#armed.findIndex(({ operation }) => operations.includes(operation));
    const [loss] = index < 0 ? [] : this.#armed.splice(index, 1);
    if (loss?.of === 'request') return loss;
    if (loss) losing.set(xid, loss);
    return undefined;
  }
}

/**
 * Cuts a stream into frames and asks whether each may pass, except for the first one, the
 * handshake.
 */
function filter(mayPass: (frame: Buffer) => boolean): (bytes: Buffer) => Buffer | undefined {
  // The server limits the length of frames, not the relay.
  const reader = new FrameReader(0x7fff_ffff);
  let greeted = false;
  return (bytes) => {
    const passing = new JuteWriter();
    for (const frame of reader.read(bytes)) {
      if (greeted && !mayPass(frame)) break;
      greeted = true;
      passing.buffer(frame);
    }
    return passing.length > 0 ? passing.finish() : undefined;
  };
}

function noRequests(): Record<Operation, number> {
  const names = [...Object.keys(OpCode), 'heartbeat'] as Operation[];
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Operation, number>;
}
