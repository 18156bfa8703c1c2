import {
  CreateMode,
  ErrorCode,
  type MultiPart,
  type MultiResult,
  OpCode,
  ProtocolError,
  type RequestBody,
} from 'zk-protocol';
import { RequestRefused } from '../request-refused.js';
import type { Transaction } from '../tree/transaction.js';
import { getChildren, getData } from './read-requests.js';
import type { RequestContext } from './request-context.js';
import {
  check,
  create,
  createContainer,
  createTTL,
  isWithTTL,
  remove,
  setData,
} from './write-requests.js';

type ReadingPart = Extract<
  MultiPart,
  { readonly type: typeof OpCode.getData | typeof OpCode.getChildren }
>;
type WritingPart = Exclude<MultiPart, ReadingPart>;

/** A part of a `multi` was refused, and so all of them; `results` say which one it was. */
export class MultiFailed extends Error {
  override readonly name = 'MultiFailed';

  constructor(readonly results: readonly MultiResult[]) {
    super('a part of a multi was refused');
  }
}

/**
 * @throws {MultiFailed}
 * @throws {ProtocolError} if one of the parts is a read, wherever it stands
 */
export function multi(
  context: RequestContext,
  transaction: Transaction,
  parts: readonly MultiPart[],
): readonly MultiResult[] {
  if (!parts.every(isWriting)) {
    throw new ProtocolError('BAD_VALUE', 'a multi only writes and checks');
  }
  return parts.map((part, index) => {
    try {
      return write(context, transaction, part);
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      throw new MultiFailed(parts.map((_, other) => failure(other, index, error.code)));
    }
  });
}

/** Each part stands for itself: a refused part does not affect the others. */
export function multiRead(
  context: RequestContext,
  parts: readonly MultiPart[],
): readonly MultiResult[] {
  return parts.map((part): MultiResult => {
    try {
      return read(context, part);
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      return { type: OpCode.error, err: error.code };
    }
  });
}

function isWriting(part: MultiPart): part is WritingPart {
  return part.type !== OpCode.getData && part.type !== OpCode.getChildren;
}

function write(context: RequestContext, transaction: Transaction, part: WritingPart): MultiResult {
  const { type } = part;
  switch (type) {
    case OpCode.create:
    case OpCode.create2:
    case OpCode.createContainer:
      return createAsFlagged(context, transaction, part.request);
    case OpCode.createTTL:
      if (!isWithTTL(part.request.flags)) {
        return createAsFlagged(context, transaction, part.request);
      }
      return { type: OpCode.create2, reply: createTTL(context, transaction, part.request) };
    case OpCode.delete:
      remove(context, transaction, part.request);
      return { type, reply: undefined };
    case OpCode.setData:
      return { type, reply: setData(context, transaction, part.request) };
    case OpCode.check:
      check(context, transaction, part.request);
      return { type, reply: undefined };
  }
}

/**
 * In a `multi`, the flags of a node decide how it is created and answered, not the type of the
 * part.
 */
function createAsFlagged(
  context: RequestContext,
  transaction: Transaction,
  request: RequestBody<typeof OpCode.create>,
): MultiResult {
  if (isWithTTL(request.flags)) throw new ProtocolError('BAD_VALUE', 'flags of a TTL without one');
  if (request.flags === CreateMode.container) {
    return { type: OpCode.create2, reply: createContainer(context, transaction, request) };
  }
  const { path } = create(context, transaction, request);
  return { type: OpCode.create, reply: { path } };
}

/** Sets no watch, even if a part asks for one. */
function read(context: RequestContext, part: MultiPart): MultiResult {
  const { type } = part;
  switch (type) {
    case OpCode.getData:
      return { type, reply: getData(context, unwatched(part.request)) };
    case OpCode.getChildren: {
      const { children } = getChildren(context, unwatched(part.request));
      return { type, reply: { children } };
    }
    default:
      throw new ProtocolError('BAD_VALUE', 'a multiRead only reads data and children');
  }
}

function unwatched<T extends object>(request: T): T & { readonly watch: false } {
  return { ...request, watch: false };
}

/**
 * As ZooKeeper answers: 0 for the parts before the refused one, "inconsistency" for those after it.
 */
function failure(index: number, refused: number, code: ErrorCode): MultiResult {
  const err =
    index < refused ? ErrorCode.ok : index === refused ? code : ErrorCode.runtimeInconsistency;
  return { type: OpCode.error, err };
}
