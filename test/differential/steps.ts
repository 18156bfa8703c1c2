import {
  type ACL,
  type AddWatchMode,
  type ConnectRequest,
  CreateMode,
  encode,
  type MultiPart,
  OpCode,
  opName,
  Perms,
  type RequestBody,
  requestCodec,
  type RequestType,
  type WatcherType,
} from 'zk-protocol';

/** What a program's paths and zxids are relative to. */
export interface Origin {
  /** The node that contains the program's nodes. */
  readonly root: string;
  /** The zxid at the start of the program. */
  readonly zxid: bigint;
}

/** A request with paths and zxids relative to the program's origin. */
export interface Template {
  readonly type: number;
  readonly value: unknown;
  /** Whether the server receives only a part of the request. */
  readonly isCut?: boolean;
}

/** A server is named by its role when the program begins. A single server leads. */
export type ServerName = 'leader' | 'follower' | 'other follower' | 'observer';

/**
 * Names a connection by one or more letters. It joins the session of the connection `to`, if any.
 */
export interface Opening {
  readonly does: 'open';
  readonly as: string;
  readonly at?: ServerName;
  readonly to?: string;
  readonly request?: Partial<Omit<ConnectRequest, 'sessionId'>>;
}

export type Step =
  | Opening
  | { readonly does: 'ask'; readonly as: string; readonly requests: readonly Template[] }
  /** Writes bytes that are not a request. */
  | { readonly does: 'write'; readonly as: string; readonly hex: string }
  /** Sends nothing more, so that the silence begins. With `cut`, the connection is also broken. */
  | { readonly does: 'hush' | 'cut'; readonly as: string }
  /** Waits for the end of the connection or an event; `timed` counts from the latest silence. */
  | {
      readonly does: 'await';
      readonly as: string;
      readonly what: 'the end' | 'an event';
      readonly timed?: boolean;
    }
  | { readonly does: 'wait'; readonly ms: number }
  /** Records the server's answer to `srvr`. */
  | { readonly does: 'srvr'; readonly server: ServerName }
  /** `serves` waits until the server serves clients. Times are measured from these steps. */
  | {
      readonly does: 'kill' | 'start' | 'serves' | 'stop' | 'goOn';
      readonly server: ServerName;
    };

export function open(as: string, more: Omit<Opening, 'does' | 'as'> = {}): Step {
  return { does: 'open', as, ...more };
}

export function ask(as: string, ...requests: readonly Template[]): Step {
  return { does: 'ask', as, requests };
}

export const kill = (server: ServerName): Step => ({ does: 'kill', server });
export const stop = (server: ServerName): Step => ({ does: 'stop', server });
export const goOn = (server: ServerName): Step => ({ does: 'goOn', server });
export const start = (server: ServerName): Step => ({ does: 'start', server });
export const serves = (server: ServerName): Step => ({ does: 'serves', server });
export const srvr = (server: ServerName): Step => ({ does: 'srvr', server });
export const hush = (as: string): Step => ({ does: 'hush', as });
export const cut = (as: string): Step => ({ does: 'cut', as });
export const end = (as: string, timed = false): Step => ({
  ...{ does: 'await', as, what: 'the end' },
  ...(timed ? { timed } : {}),
});
export const event = (as: string): Step => ({ does: 'await', as, what: 'an event', timed: true });
export const wait = (ms: number): Step => ({ does: 'wait', ms });
export const close = (as: string): Step => ask(as, request(OpCode.closeSession, undefined));

export function request<T extends RequestType>(type: T, value: RequestBody<T>): Template {
  return { type, value };
}

export const OPEN: readonly ACL[] = [{ perms: Perms.all, id: { scheme: 'world', id: 'anyone' } }];

interface Creation {
  readonly data?: string | null;
  readonly acl?: readonly ACL[];
}

/** A creation that is answered with the node's stat. */
export function create(
  path: string,
  mode: keyof typeof CreateMode = 'persistent',
  { data = null, acl = OPEN }: Creation = {},
): Template {
  const flags = CreateMode[mode];
  const value = { path, data: data === null ? null : Buffer.from(data), acl: [...acl], flags };
  return request(mode === 'container' ? OpCode.createContainer : OpCode.create2, value);
}

export function createTTL(path: string, ttl: bigint, flags = 5): Template {
  return request(OpCode.createTTL, { path, data: null, acl: [...OPEN], flags, ttl });
}

export const remove = (path: string, version = -1): Template =>
  request(OpCode.delete, { path, version });
export const check = (path: string, version = -1): Template =>
  request(OpCode.check, { path, version });
export const write = (path: string, data: string, version = -1): Template =>
  request(OpCode.setData, { path, data: Buffer.from(data), version });
export const exists = (path: string, watch = false): Template =>
  request(OpCode.exists, { path, watch });
export const read = (path: string, watch = false): Template =>
  request(OpCode.getData, { path, watch });
export const list = (path: string, watch = false): Template =>
  request(OpCode.getChildren2, { path, watch });
export const sync = request(OpCode.sync, { path: '' });
export const ping = request(OpCode.ping, undefined);
export const addWatch = (path: string, mode: AddWatchModes): Template =>
  request(OpCode.addWatch, { path, mode });
export const removeWatches = (path: string, type: WatcherTypes): Template =>
  request(OpCode.removeWatches, { path, type });
export const login = (credentials: string): Template =>
  request(OpCode.auth, { type: 0, scheme: 'digest', auth: Buffer.from(credentials) });

type AddWatchModes = (typeof AddWatchMode)[keyof typeof AddWatchMode];
type WatcherTypes = (typeof WatcherType)[keyof typeof WatcherType];

/** Uses creations of the older kind, whose answers are the same in all versions. */
export function multi(...parts: readonly Template[]): Template {
  const whole = parts.map(({ type, value }) => {
    const older = type === OpCode.create2 ? OpCode.create : type;
    return { type: older, request: value } as MultiPart;
  });
  return request(OpCode.multi, whole);
}

/** The body of a request, encoded for an origin. */
export function bytesOf({ type, value, isCut = false }: Template, origin: Origin): Buffer {
  if (opName(type) === undefined) return Buffer.alloc(0);
  const bytes = encode(requestCodec(type as RequestType), moved(value, origin) as never);
  return isCut ? bytes.subarray(0, Math.max(0, bytes.length - 3)) : bytes;
}

function moved(value: unknown, origin: Origin): unknown {
  if (Array.isArray(value)) return value.map((one) => moved(one, origin));
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  const { root, zxid } = origin;
  const field = ([name, one]: [string, unknown]): [string, unknown] => {
    if (name === 'relativeZxid') return [name, zxid + (one as bigint)];
    if (name.endsWith('Watches')) return [name, (one as string[]).map((path) => root + path)];
    if (name === 'path' || (name === 'prefixPath' && String(one).startsWith('/'))) {
      return [name, root + String(one)];
    }
    return [name, moved(one, origin)];
  };
  return Object.fromEntries(Object.entries(value).map(field));
}

/** Longer data, in bytes, are abbreviated. */
const LONGEST_DATA = 12;

/** Describes a step for readers. It also shows whether a recording is of the present script. */
export function textOf(step: Step): string {
  if (step.does !== 'ask') return compact(step);
  const requests = step.requests.map(
    ({ type, value, isCut }) =>
      `${opName(type) ?? type}${isCut ? ' cut' : ''}${value === undefined ? '' : ` ${compact(value)}`}`,
  );
  return `${step.as}: ${requests.join('; ')}`;
}

function compact(value: unknown): string {
  return JSON.stringify(value, (name, one: unknown) => {
    if (name === 'acl' && JSON.stringify(one) === JSON.stringify(OPEN)) return undefined;
    if (typeof one === 'bigint') return Number(one);
    const bytes = one as { readonly type?: string; readonly data?: number[] } | null;
    if (bytes?.type !== 'Buffer') return one;
    const { length } = bytes.data!;
    return length > LONGEST_DATA ? `${length} B` : Buffer.from(bytes.data!).toString('latin1');
  }).replaceAll('"', '');
}
