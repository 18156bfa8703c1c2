import { OpCode, Perms, type RequestType } from 'zk-protocol';
import { WireClient, type WireReply } from '../support/wire-client.js';
import { bytesOf, type Place, SESSIONS, type Step } from './programs.js';
import { type Line, Transcriber } from './transcript.js';
import { SEEDS } from './values.js';

const UNKNOWN_TYPE = 999;

/** The messages of each session in each step of a program. */
export type Transcript = readonly (readonly (readonly Line[])[])[];

/** Runs a program on a server, below a node of its own. */
export async function replay(
  port: number,
  root: string,
  program: readonly Step[],
): Promise<Transcript> {
  await using run = await Run.begin(port, root);
  const transcript: Line[][][] = [];
  for (const step of program) transcript.push(await run.do(step));
  return transcript;
}

class Run implements AsyncDisposable {
  readonly #clients: WireClient[] = [];
  readonly #types = new Map<WireReply, RequestType>();
  readonly #transcriber: Transcriber;
  #opened = 0;

  private constructor(
    private readonly port: number,
    private readonly place: Place,
  ) {
    this.#transcriber = new Transcriber(place);
  }

  static async begin(port: number, root: string): Promise<Run> {
    const founder = await WireClient.connect(port);
    const acl = [{ perms: Perms.all, id: { scheme: 'world', id: 'anyone' } }];
    const { zxid } = await founder.ask(
      OpCode.multi,
      ['', ...SEEDS].map((path) => ({
        type: OpCode.create,
        request: { path: root + path, data: null, acl, flags: 0 },
      })),
    );
    await founder.close();
    const run = new Run(port, { root, zxid });
    for (let index = 0; index < SESSIONS; index++) run.#clients.push(await run.#open());
    return run;
  }

  /** One list for each session. */
  async do(step: Step): Promise<Line[][]> {
    const starts = this.#clients.map((client) => client.received.length);
    const before = [...this.#clients];
    const said = await this.#do(step);
    for (const client of this.#clients) await client.settle();
    return before.map((client, index) => {
      // The last message is the answer to `settle`, where it was asked.
      const received = client.received.slice(starts[index]);
      const isSorted = step.does === 'close';
      const lines = this.#transcriber.lines(received, this.#types, { isSorted });
      return index === step.session ? [...lines, ...said] : lines;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client.close();
  }

  async #do(step: Step): Promise<Line[]> {
    const { session } = step;
    const client = this.#clients[session]!;
    switch (step.does) {
      case 'ask': {
        const asked = step.requests.map((template) =>
          this.#note(template.type, client.askRaw(template.type, bytesOf(template, this.place))),
        );
        await Promise.all(asked);
        return [];
      }
      case 'auth': {
        const auth = Buffer.from(step.credentials);
        await this.#note(OpCode.auth, client.ask(OpCode.auth, { type: 0, scheme: 'digest', auth }));
        return [];
      }
      case 'close':
        await this.#note(OpCode.closeSession, client.ask(OpCode.closeSession, undefined));
        await client.ended;
        this.#clients[session] = await this.#open();
        return [this.#transcriber.greeting(this.#clients[session])];
      case 'attach':
        return this.#attach(session, client, step.password);
      case 'senseless': {
        const { err, zxid } = await client.askRaw(UNKNOWN_TYPE, Buffer.alloc(0));
        await client.ended;
        return [`${err} ${zxid}`, ...(await this.#attach(session, client, 'right'))];
      }
    }
  }

  async #attach(session: number, client: WireClient, password: 'right' | 'wrong'): Promise<Line[]> {
    const lines: Line[] = [];
    if (password === 'wrong') {
      const stranger = await WireClient.attach(this.port, client, { passwd: Buffer.alloc(16, 7) });
      await stranger.ended;
      await client.ended;
      lines.push(this.#transcriber.greeting(stranger));
    }
    const attached = await WireClient.attach(this.port, client, { timeOut: 30_000 });
    await client.ended;
    this.#clients[session] = attached;
    return [...lines, this.#transcriber.greeting(attached)];
  }

  async #open(): Promise<WireClient> {
    const client = await WireClient.connect(this.port, { timeOut: 30_000 });
    this.#transcriber.name(client.sessionId, `session ${this.#opened++}`);
    return client;
  }

  async #note(type: RequestType, asked: Promise<WireReply>): Promise<void> {
    this.#types.set(await asked, type);
  }
}
