import {
  type ConnectResponse,
  type MultiResult,
  OpCode,
  opName,
  type RequestType,
  type Stat,
} from 'zk-protocol';
import type { Received, WireEvent, WireReply } from '../support/wire-client.js';
import type { Origin } from './steps.js';

/** An answer without the values that differ between servers. */
export type Line = string;

const LONG = /(?<=^.{20}).+(?=>$)/;
const EPOCH_BITS = 32n;

/** Describes a server's answers, with zxids, session ids and paths relative to the program. */
export class Transcriber {
  readonly #sessions = new Map<bigint, string>();
  /**
   * The epochs in the order of the leaders. Only in the first one is a zxid relative to the start.
   */
  readonly #epochs: bigint[];

  constructor(private readonly origin: Origin) {
    this.#epochs = [origin.zxid >> EPOCH_BITS];
  }

  lines(received: readonly Received[], types: ReadonlyMap<WireReply, number>): Line[] {
    return received.flatMap((one) => {
      if (one.kind === 'event') return [this.#event(one)];
      const type = types.get(one);
      // Requests that are not part of the program only keep sessions alive.
      return type === undefined ? [] : [this.#reply(one, type)];
    });
  }

  greeting(greeting: ConnectResponse | undefined): Line {
    if (!greeting) return 'hung up';
    const { timeOut, sessionId, readOnly, passwd } = greeting;
    if (sessionId !== 0n && !this.#sessions.has(sessionId)) {
      this.#sessions.set(sessionId, `session ${this.#sessions.size + 1}`);
    }
    const secret = passwd?.some((byte) => byte !== 0) === true ? '' : ' without a password';
    return `${this.#session(sessionId)} for ${timeOut} ms${secret}${readOnly === true ? ', read-only' : ''}`;
  }

  #event({ type, path }: WireEvent): Line {
    return `event ${type} ${this.#path(path)}`;
  }

  #reply({ err, zxid, body }: WireReply, type: number): Line {
    const value = this.#value(body, type as RequestType);
    const text = value === undefined ? '' : ` ${JSON.stringify(value).replaceAll('"', '')}`;
    return `${opName(type) ?? type} ${err} ${this.#zxid(zxid)}${text}`;
  }

  #value(body: unknown, type: RequestType): unknown {
    if (type === OpCode.multi || type === OpCode.multiRead) {
      const results = body as readonly MultiResult[] | undefined;
      return results?.map((result) => [
        opName(result.type),
        'reply' in result ? this.#fields(result.reply) : result.err,
      ]);
    }
    return this.#fields(body);
  }

  #fields(value: unknown): unknown {
    if (typeof value === 'string') return this.#path(value);
    if (typeof value === 'bigint') return Number(value);
    if (Buffer.isBuffer(value)) return `<${value.toString('latin1')}>`.replace(LONG, '…');
    // ZooKeeper treats children, ephemeral nodes and identities as sets.
    if (Array.isArray(value)) return value.map((one) => this.#fields(one)).sort(byText);
    if (typeof value !== 'object' || value === null) return value;
    if ('pzxid' in value) return this.#stat(value as Stat);
    const entries = Object.entries(value as Record<string, unknown>);
    return Object.fromEntries(entries.map(([name, field]) => [name, this.#fields(field)]));
  }

  /** Describes a stat without its times. */
  #stat(stat: Stat): string {
    const { czxid, mzxid, pzxid, version, cversion, aversion, ephemeralOwner } = stat;
    const owner = ephemeralOwner === 0n ? '' : ` ${this.#session(ephemeralOwner)}`;
    const zxids = [czxid, mzxid, pzxid].map((zxid) => this.#zxid(zxid)).join('');
    const sizes = `${stat.dataLength} B, ${stat.numChildren} below`;
    return `${zxids} v${version}.${cversion}.${aversion} ${sizes}${owner}`;
  }

  #session(id: bigint): string {
    if (id === 0n) return 'no session';
    // Such an owner marks a TTL node or a container.
    if (id >> 56n === -1n || id === -(1n << 63n)) return `owner ${id.toString(16)}`;
    return this.#sessions.get(id) ?? 'unknown';
  }

  #zxid(zxid: bigint): string {
    if (zxid <= 0n) return `@${zxid}`;
    const epoch = zxid >> EPOCH_BITS;
    if (epoch === this.#epochs[0]) return `@${zxid - this.origin.zxid}`;
    if (!this.#epochs.includes(epoch)) this.#epochs.push(epoch);
    return `@${zxid & 0xffff_ffffn} of epoch ${this.#epochs.indexOf(epoch)}`;
  }

  #path(path: string): string {
    return path.replaceAll(this.origin.root, '~');
  }
}

function byText(a: unknown, b: unknown): number {
  const [first, second] = [JSON.stringify(a), JSON.stringify(b)];
  return first < second ? -1 : Number(first > second);
}
