import { hasReturnCode, isConnectionError, ReturnCode } from '../../client/client-errors.js';
import type { NodeContent, NodeStat } from '../../client/zookeeper-client.js';
import type { NodeListener } from '../../session/node-watches.js';
import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';
import type { LockLossReason } from '../lock-errors.js';
import { persist } from '../queue/persist.js';

/** It is gone although its session lives, or nobody would tell of it any more. */
export type NodeLossReason = Extract<LockLossReason, 'node-deleted' | 'node-unreadable'>;

export interface OwnNodeContext {
  readonly session: Session;
  readonly lease: SessionLease;
  readonly path: string;
  readonly onLost: (reason: NodeLossReason) => void;
  /** What stands in it, when it is first read and whenever that may have changed. */
  readonly onData: (data: Buffer) => void;
}

/** A znode of this process that somebody else may delete or write to, and the watch that tells of it. */
export class OwnNode {
  readonly #stopWatching: () => void;
  #czxid: bigint | undefined;

  constructor(private readonly context: OwnNodeContext) {
    this.#stopWatching = context.session.watch(context.path, this.#onEvent);
  }

  /**
   * Reads it, and sets the watch. Its czxid; undefined when it is gone, or is not this session's.
   *
   * @throws {SessionOverError} when the session ends first
   */
  async confirm(): Promise<bigint | undefined> {
    const { session, lease } = this.context;
    try {
      const content = await persist(session, lease, () => this.#read());
      if (content.stat.ephemeralOwner !== lease.sessionId) {
        // It was created here: this connection's session has another id than its handshake said.
        session.distrust(lease);
        return undefined;
      }
      this.#czxid = content.stat.czxid;
      this.context.onData(content.data);
      return this.#czxid;
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noNode)) return undefined;
      throw error;
    }
  }

  stop(): void {
    this.#stopWatching();
  }

  readonly #onEvent: NodeListener = (event) => {
    if (event === 'deleted') this.context.onLost('node-deleted');
    else void this.#recheck();
  };

  /** After a change, which used up the watch, or a gap in which events may be missing. */
  async #recheck(): Promise<void> {
    try {
      const { data, stat } = await this.#read();
      if (this.#czxid !== undefined && !this.#isOwn(stat)) {
        this.context.onLost('node-deleted');
      } else this.context.onData(data);
    } catch (error) {
      // A connection that was lost is followed by a gap, or by the end of the session.
      if (isConnectionError(error)) return;
      const isGone = hasReturnCode(error, ReturnCode.noNode);
      this.context.onLost(isGone ? 'node-deleted' : 'node-unreadable');
    }
  }

  #isOwn({ czxid, ephemeralOwner }: NodeStat): boolean {
    return czxid === this.#czxid && ephemeralOwner === this.context.lease.sessionId;
  }

  #read(): Promise<NodeContent> {
    const { session, lease, path } = this.context;
    return session.get(lease, path, { watch: true });
  }
}
