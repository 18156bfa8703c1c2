import { createHash } from 'node:crypto';
import { once } from 'node:events';
import ZooKeeper from 'zookeeper';
import type { Callback, InspectedNode, InspectedStat, Native } from './inspect-native.js';

export type { InspectedNode, InspectedStat } from './inspect-native.js';

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

export const nodeKinds = {
  persistent: 0,
  ephemeral: 1,
  persistentSequential: 2,
  ephemeralSequential: 3,
  container: 4,
} as const;

const noNode = -101;

export interface ConnectOptions {
  /** The longest wait for the connection. @default 10,000 */
  readonly timeoutMs?: number;
  /**
   * After it has lost its only server, the client tries it again after a third of this. @default
   * 10,000
   */
  readonly sessionTimeoutMs?: number;
}

/**
 * An independent client for tests that read znodes or change them. It is npm `zookeeper` and shares
 * no code with zk-client, zk-protocol or zk-embedded, so it does not repeat their mistakes.
 */
export class InspectClient implements AsyncDisposable {
  readonly #native: Native;

  private constructor(private readonly zookeeper: ZooKeeper) {
    this.#native = (zookeeper as unknown as { native: Native }).native;
  }

  static async connect(
    connectString: string,
    { timeoutMs = 10_000, sessionTimeoutMs = 10_000 }: ConnectOptions = {},
  ): Promise<InspectClient> {
    const zookeeper = new ZooKeeper({
      connect: connectString,
      timeout: sessionTimeoutMs,
      debug_level: 0,
      // Without it the client ends its own session on a long list of children.
      response_counter_limit: 0x7fff_ffff,
    });
    zookeeper.init({});
    try {
      await once(zookeeper, 'connect', { signal: AbortSignal.timeout(timeoutMs) });
    } catch (cause) {
      zookeeper.close();
      throw new Error(`could not connect to ${connectString} in ${String(timeoutMs)} ms`, {
        cause,
      });
    }
    return new InspectClient(zookeeper);
  }

  /** The id of this client's session in hex, as `ephemeralOwner` shows it. */
  get sessionId(): string {
    return this.#native.client_id;
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

  /** The client has no deadline of its own: a call to a server that is away would wait forever. */
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

  async #setAcl(
    path: string,
    entry: { perm: number; scheme: string; auth: string },
  ): Promise<void> {
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
