import type { ReplicaNews } from '../replica-news.js';
import { Replica } from '../replica.js';
import { Link } from './link.js';
import type { ReplicaName, ReplicaState, ReplicaView } from './stage-api.js';

export interface ActorEvents {
  heard(actor: Actor, news: ReplicaNews): void;
  ended(actor: Actor): void;
}

/** A replica on the stage, with its own network to ZooKeeper. It can be started again. */
export class Actor implements AsyncDisposable {
  #replica: Replica | undefined;
  #state: ReplicaState = 'ended';
  #session = 'connecting';
  #isClosed = false;

  private constructor(
    readonly name: ReplicaName,
    private readonly link: Link,
    private readonly stateFile: string,
    private readonly events: ActorEvents,
  ) {}

  static async create(
    name: ReplicaName,
    connectString: string,
    stateFile: string,
    events: ActorEvents,
  ): Promise<Actor> {
    return new Actor(name, await Link.open(connectString), stateFile, events);
  }

  /** Where it sells; undefined unless its process runs. */
  get url(): string | undefined {
    return this.#state === 'running' ? this.#replica?.url : undefined;
  }

  get view(): ReplicaView {
    const { name, link } = this;
    const pid = this.#state === 'ended' ? undefined : this.#replica?.pid;
    return { name, pid, state: this.#state, isCutOff: link.isCut, session: this.#session };
  }

  /** @throws {StartError} */
  async start(): Promise<void> {
    if (this.#state !== 'ended') return;
    this.#state = 'starting';
    this.link.mend();
    const { name, stateFile } = this;
    const zkConnect = this.link.connectString;
    const onNews = (news: ReplicaNews): void => {
      if (news.what === 'session') this.#session = news.state;
      this.events.heard(this, news);
    };
    try {
      this.#replica = await Replica.start({ name, zkConnect, stateFile, onNews });
    } catch (error) {
      this.#state = 'ended';
      throw error;
    }
    this.#state = 'running';
    this.#session = 'connected';
    void this.#replica.ended.then(() => {
      this.#state = 'ended';
      this.#session = 'none';
      this.events.ended(this);
    });
    if (this.#isClosed) await this.#replica[Symbol.asyncDispose]();
  }

  stop(): void {
    this.#state = 'stopping';
    this.#replica?.signal('SIGTERM');
  }

  kill(): void {
    this.#replica?.signal('SIGKILL');
  }

  cut(): void {
    this.link.cut();
  }

  mend(): void {
    this.link.mend();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    // A replica that is cut off could not say goodbye.
    this.link.mend();
    if (this.#state !== 'ended') await this.#replica?.[Symbol.asyncDispose]();
    await this.link[Symbol.asyncDispose]();
  }
}
