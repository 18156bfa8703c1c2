import { type MultiResult, OpCode, type RequestType } from 'zk-protocol';
import type { Received, WireClient, WireEvent, WireReply } from '../support/wire-client.js';
import type { Place } from './programs.js';

/** An answer without the values that differ between two servers. */
export type Line = string;

/** Describes a server's answers, with zxids, session ids and paths relative to the program. */
export class Transcriber {
  readonly #sessions = new Map<bigint, string>();

  constructor(private readonly place: Place) {}

  /** Names the session in the transcript from now on. */
  name(sessionId: bigint, name: string): void {
    this.#sessions.set(sessionId, name);
  }

  lines(
    received: readonly Received[],
    types: ReadonlyMap<WireReply, RequestType>,
    { isSorted }: { readonly isSorted: boolean },
  ): Line[] {
    const lines = received.map((one) =>
      one.kind === 'event' ? this.#event(one) : this.#reply(one, types.get(one)),
    );
    // The nodes of a session go in any order.
    return isSorted ? lines.sort() : lines;
  }

  greeting({ greeting }: WireClient): Line {
    if (!greeting) return 'hung up';
    const { timeOut, sessionId } = greeting;
    return `session ${this.#session(sessionId)} for ${timeOut}`;
  }

  #event({ type, path }: WireEvent): Line {
    return `event ${type} ${this.#path(path)}`;
  }

  #reply({ err, zxid, body }: WireReply, type: RequestType | undefined): Line {
    const at = type === OpCode.auth ? zxid : zxid - this.place.zxid;
    const text = JSON.stringify(this.#value(body, type), (_, value: unknown) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
    return `${type ?? '?'} ${err} @${at} ${text}`;
  }

  #value(body: unknown, type: RequestType | undefined): unknown {
    if (type === OpCode.multi || type === OpCode.multiRead) {
      const results = body as readonly MultiResult[] | undefined;
      return results?.map((result) => ({
        type: result.type,
        ...('reply' in result ? (this.#fields(result.reply) as object) : { err: result.err }),
      }));
    }
    return this.#fields(body);
  }

  #fields(value: unknown): unknown {
    if (typeof value === 'string') return this.#path(value);
    if (Buffer.isBuffer(value)) return value.toString('hex');
    // ZooKeeper treats children, ephemeral nodes and identities as sets.
    if (Array.isArray(value)) return value.map((one) => this.#fields(one)).sort(byText);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value as Record<string, unknown>);
    return Object.fromEntries(entries.map(([name, field]) => [name, this.#field(name, field)]));
  }

  #field(name: string, value: unknown): unknown {
    if (name === 'ctime' || name === 'mtime') return 'some time';
    if (name.endsWith('zxid')) return (value as bigint) - this.place.zxid;
    if (name === 'ephemeralOwner') return this.#session(value as bigint);
    return this.#fields(value);
  }

  #session(id: bigint): string {
    return id === 0n ? 'none' : (this.#sessions.get(id) ?? 'unknown');
  }

  #path(path: string): string {
    return path.replaceAll(this.place.root, '@');
  }
}

function byText(a: unknown, b: unknown): number {
  const [first, second] = [JSON.stringify(a, asText), JSON.stringify(b, asText)];
  return first < second ? -1 : Number(first > second);
}

function asText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
