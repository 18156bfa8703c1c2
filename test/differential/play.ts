import { type ConnectRequest, OpCode, Perms } from 'zk-protocol';
import type { ByteSocket, WireClient, WireReply } from '../support/wire-client.js';
import { bytesOf, type Opening, type Origin, type ServerName, type Step, textOf } from './steps.js';
import { type Line, Transcriber } from './transcript.js';
import { SEEDS } from './values.js';

export type Connection = WireClient<ByteSocket>;

/** Real or simulated servers, and their time. */
export interface Stage {
  /** In milliseconds. */
  readonly now: number;
  /** Whether there are several servers, some of which may lag behind. */
  readonly isEnsemble: boolean;
  /** Assigns the roles: from now on, each server is named by its present role. */
  begin(): Promise<void>;
  /** Connects without a handshake. */
  connect(server: ServerName): Promise<Connection>;
  /** Waits until the condition is true; returns false if it was not true in time. */
  until(condition: () => boolean, mostMs: number): Promise<boolean>;
  kill(server: ServerName): Promise<void>;
  start(server: ServerName): Promise<void>;
  /** Suspends the server as SIGSTOP does; `goOn` resumes it. */
  stop(server: ServerName): Promise<void>;
  goOn(server: ServerName): Promise<void>;
  /** Waits until the server serves clients. */
  serves(server: ServerName): Promise<void>;
}

/** For each step, its text and what the connections received, in the order of their names. */
export type Transcript = readonly (readonly [step: string, ...lines: Line[]])[];

const PATIENCE_MS = 30_000;
const BETWEEN_PINGS_MS = 250;

/** Plays steps on servers, below a separate node that has children (`SEEDS`). */
export async function play(
  stage: Stage,
  root: string,
  steps: readonly Step[],
): Promise<Transcript> {
  await stage.begin();
  const player = await Player.begin(stage, root);
  const transcript: (readonly [string, ...Line[]])[] = [];
  for (const step of steps) transcript.push([textOf(step), ...(await player.play(step))]);
  await player.end();
  return transcript;
}

class Player {
  readonly #connections = new Map<string, Connection>();
  readonly #silenced = new Set<Connection>();
  readonly #sessions: Session[] = [];
  readonly #types = new Map<WireReply, number>();
  readonly #transcriber: Transcriber;
  /** The number of messages of each open connection that are already in the transcript. */
  readonly #told = new Map<Connection, number>();
  #since = 0;
  /** Whether it disturbs the servers, so that no further program can use them. */
  #isLast = false;

  private constructor(
    private readonly stage: Stage,
    private readonly origin: Origin,
  ) {
    this.#transcriber = new Transcriber(origin);
  }

  static async begin(stage: Stage, root: string): Promise<Player> {
    const founder = await stage.connect('leader');
    await inTime(stage, founder.greet({}));
    const acl = [{ perms: Perms.all, id: { scheme: 'world', id: 'anyone' } }];
    const parts = ['', ...SEEDS].map((path) => ({
      type: OpCode.create,
      request: { path: root + path, data: null, acl, flags: 0 },
    }));
    const { zxid } = await inTime(stage, founder.ask(OpCode.multi, parts));
    await inTime(stage, founder.close());
    return new Player(stage, { root, zxid });
  }

  async play(step: Step): Promise<Line[]> {
    const said = await this.#do(step);
    await this.#settle();
    const heard = [...this.#connections].sort().flatMap(([name, client]) => {
      const told = this.#told.get(client);
      if (told === undefined) return [];
      const lines = this.#transcriber.lines(client.received.slice(told), this.#types);
      this.#told.set(client, client.received.length);
      if (client.isEnded) {
        this.#told.delete(client);
        lines.push('closed');
      }
      return (step.does === 'ask' && !closes(step) ? lines : withSortedEvents(lines)).map(
        (line) => `${name} ${line}`,
      );
    });
    return [...said, ...heard];
  }

  /** Ends all sessions, so that none affects the next program. */
  async end(): Promise<void> {
    const { stage } = this;
    for (const client of this.#connections.values()) client.drop();
    if (this.#isLast) return;
    for (const session of this.#sessions) {
      const client = await stage.connect('leader');
      await inTime(stage, client.greet(session));
      await inTime(stage, client.close());
    }
  }

  /** Executes a step, and returns its results other than answers and events. */
  async #do(step: Step): Promise<Line[]> {
    const { stage } = this;
    switch (step.does) {
      case 'open':
        return this.#open(step);
      case 'ask': {
        const client = this.#connection(step.as);
        const asked = step.requests.map(async (one) => {
          const reply = await client.askRaw(one.type, bytesOf(one, this.origin));
          this.#types.set(reply, one.type);
        });
        // A server that closes the connection has done so by then.
        await inTime(stage, Promise.allSettled(asked));
        if (closes(step)) await inTime(stage, client.ended);
        return [];
      }
      case 'write':
        this.#connection(step.as).write(Buffer.from(step.hex, 'hex'));
        return [];
      case 'hush':
      case 'cut': {
        const client = this.#connection(step.as);
        // Before the last message to the server, from which it measures the silence.
        this.#since = stage.now;
        await inTime(stage, client.settle());
        this.#silenced.add(client);
        if (step.does === 'cut') {
          this.#told.delete(client);
          client.drop();
        }
        return [];
      }
      case 'await': {
        const client = this.#connection(step.as);
        const { events } = client;
        const isThere = (): boolean =>
          step.what === 'the end' ? client.isEnded : client.events.length > events.length;
        if (!(await this.#pass(PATIENCE_MS, isThere))) return [`${step.as} waits for ${step.what}`];
        return step.timed === true ? [`+${Math.round(stage.now - this.#since)} ms`] : [];
      }
      case 'wait':
        await this.#pass(step.ms, () => false);
        return [];
      case 'srvr':
        return this.#askSrvr(step.server);
      default:
        await stage[step.does](step.server);
        this.#isLast = true;
        if (step.does === 'serves') this.#since = stage.now;
        return [];
    }
  }

  async #open({ as, at = 'leader', to, request = {} }: Opening): Promise<Line[]> {
    const session = to === undefined ? undefined : sessionOf(this.#connection(to));
    const { lastZxidSeen } = request;
    const seen =
      lastZxidSeen === undefined ? {} : { lastZxidSeen: this.origin.zxid + lastZxidSeen };
    const client = await this.stage.connect(at);
    const answer = await inTime(
      this.stage,
      client.greet({ timeOut: 30_000, ...session, ...request, ...seen }),
    );
    const earlier = this.#connections.get(as);
    if (earlier) this.#connections.set(`the earlier ${as}`, earlier);
    this.#connections.set(as, client);
    if (!answer || answer.sessionId === 0n) await inTime(this.stage, client.ended);
    else {
      this.#told.set(client, 0);
      if (!session) this.#sessions.push(sessionOf(client));
    }
    return [`${as} ${this.#transcriber.greeting(answer)}`];
  }

  async #askSrvr(server: ServerName): Promise<Line[]> {
    const client = await this.stage.connect(server);
    let text = '';
    client.socket.on('data', (piece) => (text += piece.toString()));
    client.write(Buffer.from('srvr'));
    await inTime(this.stage, client.ended);
    return [/^Mode: .*$/m.exec(text)?.[0] ?? text.trim()];
  }

  /** Lets time pass while the sessions that are not meant to be silent are kept alive. */
  async #pass(ms: number, isOver: () => boolean): Promise<boolean> {
    const deadline = this.stage.now + ms;
    for (;;) {
      const left = Math.min(deadline - this.stage.now, BETWEEN_PINGS_MS);
      if (left <= 0) return false;
      if (await this.stage.until(isOver, left)) return true;
      for (const client of this.#lively()) client.settle().catch(() => undefined);
    }
  }

  /** Waits until everything that the servers have sent so far has arrived. */
  async #settle(): Promise<void> {
    const settling = this.#lively().map(async (client) => {
      if (this.stage.isEnsemble) await client.ask(OpCode.sync, { path: this.origin.root });
      await client.settle();
    });
    await inTime(this.stage, Promise.allSettled(settling));
  }

  #lively(): Connection[] {
    return [...this.#told.keys()].filter((one) => !one.isEnded && !this.#silenced.has(one));
  }

  #connection(name: string): Connection {
    const client = this.#connections.get(name);
    if (!client) throw new Error(`there is no connection ${name}`);
    return client;
  }
}

/** Whether the server closes the connection after the answer, which may take a moment. */
function closes({ requests }: Step & { readonly does: 'ask' }): boolean {
  const isKnown = (type: number): boolean => Object.values<unknown>(OpCode).includes(type);
  return requests.some(({ type }) => type === OpCode.closeSession || !isKnown(type));
}

/** A server deletes the nodes of a session in any order. */
function withSortedEvents(lines: readonly Line[]): Line[] {
  const sorted: Line[] = [];
  let events: Line[] = [];
  for (const line of lines) {
    if (line.startsWith('event')) events.push(line);
    else {
      sorted.push(...events.sort(), line);
      events = [];
    }
  }
  return [...sorted, ...events.sort()];
}

type Session = Required<Pick<ConnectRequest, 'sessionId' | 'passwd'>>;

function sessionOf({ greeting }: Connection): Session {
  if (!greeting) throw new Error('a connection without a session');
  return { sessionId: greeting.sessionId, passwd: greeting.passwd };
}

async function inTime<T>(stage: Stage, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const note = (): void => void (isSettled = true);
  promise.then(note, note);
  if (!(await stage.until(() => isSettled, PATIENCE_MS))) {
    throw new Error('the servers gave no answer');
  }
  return promise;
}
