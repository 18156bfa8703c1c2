import {
  CreateMode,
  encode,
  OpCode,
  opName,
  type ReplyBody,
  type RequestBody,
  requestCodec,
  type RequestType,
} from 'zk-protocol';
import { RequestError } from '../request-error.js';
import { parentOf, type Planned, type RequestKind } from './plan.js';

/** A request that waits for its turn to be sent. */
export interface Gathered extends Planned {
  readonly type: RequestType;
  /** As it will be sent: whoever asks may change what it was made of. */
  readonly body: Buffer;
  resolve(answer: unknown): void;
  reject(code: number, wasSent: boolean, cause?: unknown): void;
}

/** A `create2` whose answer was one of several: ZooKeeper tells no more of it than its path. */
export interface CreatedTogether {
  readonly path: string;
  /** That of the whole transaction. */
  readonly czxid: bigint;
  readonly stat?: undefined;
}

/** What is answered to a request that may have been sent together with others. */
export type Answer<T extends RequestType> = T extends typeof OpCode.create2
  ? ReplyBody<typeof OpCode.create2> | CreatedTogether
  : ReplyBody<T>;

export interface Asked<T extends RequestType> {
  readonly type: T;
  readonly body: RequestBody<T>;
  /** What it is about, for its error. */
  readonly path: string;
  /** It is not to be sent together with others. */
  readonly isAlone: boolean;
  resolve(answer: Answer<T>): void;
  reject(error: RequestError): void;
}

/** @throws {ProtocolError} where it cannot be written */
export function gather<T extends RequestType>(asked: Asked<T>): Gathered {
  const { type, path, isAlone } = asked;
  const body = encode(requestCodec(type), asked.body);
  const isCreate = type === OpCode.create2;
  const flags = isCreate ? (asked.body as RequestBody<typeof OpCode.create2>).flags : undefined;
  const isSequential =
    flags === CreateMode.ephemeralSequential || flags === CreateMode.persistentSequential;
  return {
    ...{ type, body, path, bytes: body.length },
    kind: kindOf(asked, isAlone),
    parent: isCreate || type === OpCode.delete ? parentOf(path) : undefined,
    creates: isCreate,
    isSequential,
    resolve: (answer) => asked.resolve(answer as Answer<T>),
    reject: (code, wasSent, cause) => asked.reject(errorOf(asked, code, wasSent, cause)),
  };
}

export function errorOf(
  { type, path }: { readonly type: RequestType; readonly path: string },
  code: number,
  wasSent: boolean,
  cause?: unknown,
): RequestError {
  const options = cause === undefined ? undefined : { cause };
  return new RequestError(code, opName(type) ?? String(type), path, wasSent, options);
}

function kindOf<T extends RequestType>({ type, body }: Asked<T>, isAlone: boolean): RequestKind {
  switch (type) {
    case OpCode.create2:
    case OpCode.delete:
    case OpCode.setData:
      return isAlone ? 'lone-write' : 'write';
    case OpCode.getData:
    case OpCode.getChildren:
      // A `multiRead` sets no watch.
      return (body as RequestBody<typeof OpCode.getData>).watch ? 'lone-read' : 'read';
    case OpCode.exists:
    case OpCode.getACL:
    case OpCode.multiRead:
    case OpCode.sync:
    case OpCode.whoAmI:
      return 'lone-read';
    default:
      return 'lone-write';
  }
}
