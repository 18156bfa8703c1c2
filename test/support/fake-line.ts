import {
  decode,
  encode,
  ErrorCode,
  JuteReader,
  JuteWriter,
  type MultiResult,
  OpCode,
  type ReplyBody,
  replyCodec,
  type RequestType,
  requestCodec,
  type Stat,
} from 'zk-protocol';
import type { Question } from '../../libs/zk-client/src/connection/channel/channel.js';
import { ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import { isWrite, type Operation, type Outcome, SmallTree } from './small-tree.js';

/** A write that was executed, or a state of the tree. */
export interface Step {
  readonly write?: { readonly operation: Operation; readonly outcome: Outcome };
  /** The tree after this step. */
  readonly tree: SmallTree;
}

interface Sent {
  readonly question: Question;
  readonly bytes: Buffer;
}

/** A connection to a fake server. The test controls when each request is executed and answered. */
export class FakeLine {
  isOpen = true;
  onDown: ((wasCut: boolean) => void) | undefined;
  /** All writes that were executed, including those of other clients. */
  readonly history: Step[];
  readonly counts = { multis: 0, refusedMultis: 0, multiReads: 0, mostSentAtOnce: 0 };
  readonly #unexecuted: Sent[] = [];
  readonly #unanswered: { readonly sent: Sent; readonly answer: () => void }[] = [];
  #onClosed: ((wasClosed: boolean) => void) | undefined;
  #tree: SmallTree;
  #zxid = 0n;

  constructor(root: string) {
    this.#tree = new SmallTree(root);
    this.history = [{ tree: this.#tree.copy() }];
  }

  get isIdle(): boolean {
    return this.#unexecuted.length + this.#unanswered.length === 0;
  }

  send<T extends RequestType>(question: Question<T>): void {
    const writer = new JuteWriter();
    question.write(writer);
    const sent = { question: question as unknown as Question, bytes: writer.finish() };
    this.#unexecuted.push(sent);
    const { counts } = this;
    counts.mostSentAtOnce = Math.max(counts.mostSentAtOnce, this.#unexecuted.length);
  }

  giveUp(): void {
    // Tests do not need to know when the connection ends.
  }

  close(): Promise<boolean> {
    if (!this.isOpen) return Promise.resolve(false);
    this.isOpen = false;
    return new Promise((resolve) => {
      this.#onClosed = resolve;
      if (this.isIdle) resolve(true);
    });
  }

  /** Executes the oldest request. */
  execute(): void {
    const sent = this.#unexecuted.shift();
    if (sent) this.#unanswered.push({ sent, answer: this.#executed(sent) });
  }

  /** Delivers the oldest answer. */
  answer(): void {
    this.#unanswered.shift()?.answer();
    if (this.isIdle) this.#onClosed?.(true);
  }

  /** Executes an operation of another client. */
  byOthers(operation: Operation): void {
    this.#tree.execute(operation, ++this.#zxid);
    this.history.push({ tree: this.#tree.copy() });
  }

  /** Closes the connection. */
  end(): void {
    this.isOpen = false;
    this.#onClosed?.(false);
    const unanswered = [
      ...this.#unanswered.splice(0).map(({ sent }) => sent),
      ...this.#unexecuted.splice(0),
    ];
    for (const { question } of unanswered) {
      question.reject(new ZooKeeperError(ErrorCode.connectionLoss, '', ''));
    }
    this.onDown?.(true);
  }

  #executed({ question, bytes }: Sent): () => void {
    const { type } = question;
    if (type === OpCode.multi) {
      const results = this.#multi(this.#partsIn(bytes));
      const zxid = this.#zxid;
      return () => this.#tell(question, results, zxid);
    }
    if (type === OpCode.multiRead) {
      this.counts.multiReads++;
      const results = this.#partsIn(bytes).map((part) =>
        toResult(part, this.#tree.execute(part, 0n)),
      );
      return () => this.#tell(question, results, 0n);
    }
    const request = requestCodec(type).read(new JuteReader(bytes));
    const operation = { type, request } as Operation;
    const outcome = this.#tree.execute(operation, ++this.#zxid);
    if (isWrite(operation)) this.#note(operation, outcome);
    return () => {
      if ('err' in outcome) question.reject(new ZooKeeperError(outcome.err, '', ''));
      else this.#tell(question, replyTo(operation, outcome) as ReplyBody<RequestType>, 0n);
    };
  }

  #multi(parts: readonly Operation[]): readonly MultiResult[] {
    this.counts.multis++;
    this.#zxid++;
    const before = this.#tree.copy();
    const done: { readonly part: Operation; readonly outcome: Outcome }[] = [];
    for (const part of parts) {
      const outcome = this.#tree.execute(part, this.#zxid);
      if ('err' in outcome) {
        this.counts.refusedMultis++;
        this.#tree = before;
        const behind = parts.slice(done.length + 1).map(() => ErrorCode.runtimeInconsistency);
        const codes = [...done.map(() => ErrorCode.ok), outcome.err, ...behind];
        return codes.map((err) => ({ type: OpCode.error, err }));
      }
      done.push({ part, outcome });
    }
    for (const { part, outcome } of done) this.#note(part, outcome);
    return done.map(({ part, outcome }) => toResult(part, outcome));
  }

  #note(operation: Operation, outcome: Outcome): void {
    this.history.push({ write: { operation, outcome }, tree: this.#tree.copy() });
  }

  #partsIn(bytes: Buffer): readonly Operation[] {
    return decode(requestCodec(OpCode.multi), bytes) as readonly Operation[];
  }

  #tell(question: Question, body: ReplyBody<RequestType>, zxid: bigint): void {
    const codec = replyCodec(question.type);
    question.resolve(decode(codec, encode(codec, body)), zxid);
  }
}

const NO_STAT: Stat = {
  ...{ czxid: 0n, mzxid: 0n, ctime: 0n, mtime: 0n, pzxid: 0n, ephemeralOwner: 0n },
  ...{ version: 0, cversion: 0, aversion: 0, dataLength: 0, numChildren: 0 },
};

/** Encodes an outcome. */
function replyTo({ type }: Operation, outcome: Exclude<Outcome, { err: number }>): unknown {
  const { value, czxid = 0n } = outcome;
  switch (type) {
    case OpCode.create2:
      return { path: value, stat: { ...NO_STAT, czxid } };
    case OpCode.delete:
      return undefined;
    case OpCode.setData:
      return { stat: { ...NO_STAT, version: Number(value) } };
    case OpCode.getData: {
      const [nodeZxid = '', version, ...data] = value.split(' ');
      const stat = { ...NO_STAT, czxid: BigInt(nodeZxid), version: Number(version) };
      return { data: Buffer.from(data.join(' ')), stat };
    }
    case OpCode.getChildren:
      return { children: value === '' ? [] : value.split(',') };
  }
}

/** In a `multi`, a `create2` is answered as a `create`. */
function toResult(operation: Operation, outcome: Outcome): MultiResult {
  if ('err' in outcome) return { type: OpCode.error, err: outcome.err };
  const { type } = operation;
  if (type === OpCode.create2) return { type: OpCode.create, reply: { path: outcome.value } };
  return { type, reply: replyTo(operation, outcome) } as MultiResult;
}
