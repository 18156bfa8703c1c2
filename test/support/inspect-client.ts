import { createHash } from 'node:crypto';
import { once } from 'node:events';
import ZooKeeper from 'zookeeper';

/** The facts of a znode that tests use. */
interface InspectedStat {
  readonly czxid: number;
  readonly mzxid: number;
  readonly version: number;
  readonly cversion: number;
  /** The session that owns an ephemeral node, in hex; `0` for others. */
  readonly ephemeralOwner: string;
  readonly dataLength: number;
  readonly numChildren: number;
}

interface InspectedNode {
  readonly data: Buffer;
  readonly stat: InspectedStat;
}

type Callback<T extends unknown[]> = (code: number, text: string, ...answer: T) => void;

/** The part of the native client that is used here. Its own promise wrapper hides error codes. */
interface Native {
  add_auth(scheme: string, auth: string, done: Callback<[]>): number;
  a_create(path: string, data: Buffer, flags: number, done: Callback<[string]>): number;
  a_delete_(path: string, version: number, done: Callback<[]>): number;
  a_get(path: string, watch: boolean, done: Callback<[InspectedStat, Buffer | undefined]>): number;
  a_set(path: string, data: Buffer, version: number, done: Callback<[InspectedStat]>): number;
  a_exists(path: string, watch: boolean, done: Callback<[InspectedStat]>): number;
  a_get_children(path: string, watch: boolean, done: Callback<[string[]]>): number;
  a_set_acl(path: string, version: number, acl: readonly Entry[], done: Callback<[]>): number;
  a_sync(path: string, done: Callback<[]>): number;
}

/** An entry of an ACL. */
interface Entry {
  readonly perm: number;
  readonly scheme: string;
  readonly auth: string;
}

/** An answer other than "ok". */
export class InspectError extends Error {
  override readonly name = 'InspectError';

  constructor(
    call: string,
    /** ZooKeeper's code, such as -101 for "no node". */
    readonly code: number,
    text: string,
  ) {
    super(`${call}: ${String(code)} ${text}`);
  }
}

const nodeKinds = {
  persistent: 0,
  ephemeral: 1,
  persistentSequential: 2,
  ephemeralSequential: 3,
  container: 4,
} as const;

const noNode = -101;

/** The connect timeout and session timeout. The client reconnects after a third of it. */
const PATIENCE_MS = 10_000;

/**
 * An independent client for tests that read znodes or change them. It is npm `zookeeper` and shares
 * no code with zk-client, zk-protocol or zk-embedded, so it does not repeat their mistakes.
 */
export class InspectClient implements AsyncDisposable {
  readonly #native: Native;

  private constructor(private readonly zookeeper: ZooKeeper) {
    this.#native = (zookeeper as unknown as { native: Native }).native;
  }

  static async connect(connectString: string): Promise<InspectClient> {
    const zookeeper = new ZooKeeper({
      connect: connectString,
      timeout: PATIENCE_MS,
      debug_level: 0,
      // By default, the client ends its own session when it receives a long list of children.
      response_counter_limit: 0x7fff_ffff,
    });
    zookeeper.init({});
    try {
      await once(zookeeper, 'connect', { signal: AbortSignal.timeout(PATIENCE_MS) });
    } catch (cause) {
      zookeeper.close();
      throw new Error(`could not connect to ${connectString}`, { cause });
    }
    return new InspectClient(zookeeper);
  }

  /** Adds credentials, such as `('digest', 'user:password')`, to this client's session. */
  async withAuth(scheme: string, auth: string): Promise<this> {
    await this.#ask('auth', (done) => this.#native.add_auth(scheme, auth, done));
    return this;
  }

  /** Creates a node and returns its real path, which ends in a number for a sequential node. */
  async create(
    path: string,
    data: string | Buffer = '',
    kind: keyof typeof nodeKinds = 'persistent',
  ): Promise<string> {
    const [created] = await this.#ask<[string]>(`create ${path}`, (done) =>
      this.#native.a_create(path, Buffer.from(data), nodeKinds[kind], done),
    );
    return created;
  }

  async delete(path: string): Promise<void> {
    await this.#ask(`delete ${path}`, (done) => this.#native.a_delete_(path, -1, done));
  }

  async set(path: string, data: string | Buffer): Promise<InspectedStat> {
    const [stat] = await this.#ask<[InspectedStat]>(`set ${path}`, (done) =>
      this.#native.a_set(path, Buffer.from(data), -1, done),
    );
    return stat;
  }

  /** Gives permissions, all by default, to one user of the `digest` scheme, and none to others. */
  async restrictTo(path: string, username: string, password: string, perm = 31): Promise<void> {
    const digest = createHash('sha1').update(`${username}:${password}`).digest('base64');
    // The binding reads `perm`, and ignores the `perms` of its own constants.
    await this.#setAcl(path, { perm, scheme: 'digest', auth: `${username}:${digest}` });
  }

  /** Gives all permissions to every client. */
  async openToAll(path: string): Promise<void> {
    await this.#setAcl(path, { perm: 31, scheme: 'world', auth: 'anyone' });
  }

  async get(path: string): Promise<InspectedNode> {
    const [stat, data] = await this.#ask<[InspectedStat, Buffer | undefined]>(
      `get ${path}`,
      (done) => this.#native.a_get(path, false, done),
    );
    return { stat, data: data ?? Buffer.alloc(0) };
  }

  /** The node's facts, or `undefined` if it does not exist. */
  async exists(path: string): Promise<InspectedStat | undefined> {
    const answer = await this.#orNoNode(
      this.#ask<[InspectedStat]>(`exists ${path}`, (done) =>
        this.#native.a_exists(path, false, done),
      ),
    );
    return answer?.[0];
  }

  /** The names of the node's children, sorted as text. */
  async children(path: string): Promise<string[]> {
    const [names] = await this.#ask<[string[]]>(`list ${path}`, (done) =>
      this.#native.a_get_children(path, false, done),
    );
    return names.sort();
  }

  /** As `children`; empty if the node does not exist, or is being removed. */
  async childrenIfAny(path: string): Promise<string[]> {
    return (await this.#orNoNode(this.children(path))) ?? [];
  }

  /**
   * The paths of all nodes below a node, parents before their children; empty if it does not exist.
   */
  async tree(root: string): Promise<string[]> {
    const names = await this.childrenIfAny(root);
    const paths = names.map((name) => `${root === '/' ? '' : root}/${name}`);
    const below = await Promise.all(paths.map((path) => this.tree(path)));
    return paths.flatMap((path, index) => [path, ...(below[index] ?? [])]);
  }

  /** Deletes a node and all nodes below it; does nothing if it does not exist. */
  async deleteTree(root: string): Promise<void> {
    for (const path of [root, ...(await this.tree(root))].reverse()) {
      await this.#orNoNode(this.delete(path));
    }
  }

  /** Waits until this client's server has seen all earlier writes. */
  async sync(path = '/'): Promise<void> {
    await this.#ask(`sync ${path}`, (done) => this.#native.a_sync(path, done));
  }

  async close(): Promise<void> {
    // Closing inside one of the client's own callbacks aborts the process.
    await new Promise((resolve) => setImmediate(resolve));
    this.zookeeper.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Adds the deadline that the client lacks: an unavailable server would never answer. */
  #ask<T extends unknown[] = []>(call: string, send: (done: Callback<T>) => number): Promise<T> {
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        reject(new InspectError(call, -7, 'no answer in 10 s'));
      }, 10_000);
      const settle = (code: number, text: string, ...answer: T): void => {
        clearTimeout(deadline);
        if (code === 0) resolve(answer);
        else reject(new InspectError(call, code, text));
      };
      const sent = send(settle);
      if (sent !== 0) settle(sent, 'not sent', ...([] as unknown as T));
    });
  }

  async #setAcl(path: string, entry: Entry): Promise<void> {
    await this.#ask(`set the ACL of ${path}`, (done) =>
      this.#native.a_set_acl(path, -1, [entry], done),
    );
  }

  async #orNoNode<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof InspectError && error.code === noNode) return undefined;
      throw error;
    }
  }
}
