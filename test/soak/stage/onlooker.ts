import { type LockNode, lockNodeFrom } from '../history/lock-node.js';
import { CreateMode, OpCode } from 'zk-protocol';
import { parseHolderData } from '../../../libs/zk-locks/src/nodes/holder-data.js';
import { WireClient } from '../../support/wire-client.js';
import type { ZooKeeperEnsemble } from '../../support/zookeeper-ensemble.js';
import type { ZooKeeperServer } from '../../support/zookeeper-server.js';

/** Longer than a server needs to answer just after its start. */
const PATIENCE_MS = 5_000;

/** All clients may do everything. */
const OPEN = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

/** Looks at the servers from outside, and deletes nodes as an operator does. */
export class Onlooker {
  constructor(
    private readonly ensemble: ZooKeeperEnsemble,
    private readonly root: string,
  ) {}

  /** All nodes below the root; a node that goes meanwhile has none below. */
  tree(): Promise<string[]> {
    return this.#ask(async (client) => {
      await client.ask(OpCode.sync, { path: this.root });
      return this.#below(client, this.root);
    });
  }

  /** The differences between each server's tree and the leader's, in readable form. */
  async differences(): Promise<string[]> {
    const below = (client: WireClient): Promise<string[]> => this.#below(client, this.root);
    const present = new Set(await this.tree());
    const differences = this.ensemble.servers.map(async (server) => {
      const shown = new Set(await this.#ask(below, server));
      const name = `server ${String(this.ensemble.idOf(server))}`;
      return [
        ...[...shown].filter((path) => !present.has(path)).map((path) => `${name} has ${path}`),
        ...[...present].filter((path) => !shown.has(path)).map((path) => `${name} lacks ${path}`),
      ];
    });
    return (await Promise.all(differences)).flat();
  }

  /** The owner of a lock node, and its age, in readable form. */
  owner(path: string): Promise<string> {
    return this.#ask(async (client) => {
      const { body } = await client.ask(OpCode.getData, { path, watch: false });
      if (!body) return `${path} (gone by now)`;
      const { ephemeralOwner, czxid, ctime } = body.stat;
      const since = new Date(Number(ctime)).toISOString();
      const facts = `session 0x${ephemeralOwner.toString(16)}, czxid ${String(czxid)}, since ${since}`;
      return `${path} (${facts}, ${String(body.data)})`;
    });
  }

  /** Creates nodes that stay. */
  async create(paths: readonly string[]): Promise<void> {
    await this.#ask(async (client) => {
      const rest = { data: Buffer.alloc(0), acl: OPEN, flags: CreateMode.persistent };
      for (const path of paths) await client.ask(OpCode.create, { path, ...rest });
    });
  }

  /** The paths of all children of these nodes, each of which it deletes. */
  takeNames(parents: readonly string[]): Promise<string[]> {
    return this.#ask(async (client) => {
      const names = await Promise.all(parents.map((parent) => this.#below(client, parent)));
      const paths = names.flat();
      await Promise.all(paths.map((path) => client.ask(OpCode.delete, { path, version: -1 })));
      return paths;
    });
  }

  /** The names of the lock nodes of a key. */
  contenders(key: string): Promise<readonly string[]> {
    return this.#ask((client) => this.#children(client, `${this.root}/${key}`));
  }

  /** The transaction that created the directory of a key, where it is there. */
  createdAt(key: string): Promise<bigint | undefined> {
    const path = `${this.root}/${key}`;
    return this.#ask(async (client) => {
      const { body } = await client.ask(OpCode.getData, { path, watch: false });
      return body?.stat.czxid;
    });
  }

  /** Whether it was there. */
  deleteDirectory(key: string): Promise<boolean> {
    const path = `${this.root}/${key}`;
    return this.#ask(async (client) => {
      const { err } = await client.ask(OpCode.delete, { path, version: -1 });
      return err === 'ok';
    });
  }

  /** Whose it was, where it was there. */
  deleteContender(
    key: string,
    name: string,
  ): Promise<{ readonly node: LockNode; readonly replica: string | undefined } | undefined> {
    const path = `${this.root}/${key}/${name}`;
    return this.#ask(async (client) => {
      const [{ body }] = await Promise.all([
        client.ask(OpCode.getData, { path, watch: false }),
        client.ask(OpCode.delete, { path, version: -1 }),
      ]);
      if (!body) return undefined;
      const data = Buffer.from(body.data ?? '');
      const replica = parseHolderData(data)?.application;
      return { node: lockNodeFrom(body.stat.czxid, data), replica };
    });
  }

  /** How many watches all servers together keep. */
  async watches(): Promise<number> {
    const counts = await Promise.all(this.ensemble.servers.map((server) => watchesOf(server)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** The ids of the sessions that own ephemeral nodes or are merely open, as the leader knows them. */
  async sessions(): Promise<string[]> {
    const leader = await this.ensemble.leader();
    const dump = await leader.fourLetterWord('dump');
    const expiring = dump.slice(0, dump.indexOf('ephemeral nodes dump'));
    return [...new Set(expiring.match(/0x[0-9a-f]+/g) ?? [])];
  }

  async #below(client: WireClient, path: string): Promise<string[]> {
    const names = await this.#children(client, path);
    const below = await Promise.all(names.map((name) => this.#below(client, `${path}/${name}`)));
    return names.flatMap((name, index) => [`${path}/${name}`, ...(below[index] ?? [])]);
  }

  async #children(client: WireClient, path: string): Promise<readonly string[]> {
    const { body } = await client.ask(OpCode.getChildren, { path, watch: false });
    return body?.children ?? [];
  }

  /** Asks the leader, or another server, on a connection of its own. */
  async #ask<T>(
    question: (client: WireClient) => Promise<T>,
    server?: ZooKeeperServer,
  ): Promise<T> {
    const { port } = server ?? (await this.ensemble.leader());
    const client = await WireClient.connect(port);
    const impatience = setTimeout(() => client.drop(), PATIENCE_MS);
    try {
      return await question(client);
    } finally {
      clearTimeout(impatience);
      await client.close();
    }
  }
}

async function watchesOf(server: ZooKeeperServer): Promise<number> {
  const answer = await server.fourLetterWord('wchs');
  // An observer whose server leads, which has no clients.
  if (answer.includes('not currently serving')) return 0;
  const [, total] = /^Total watches:(\d+)$/m.exec(answer) ?? [];
  if (total === undefined) throw new Error(`no number of watches in "${answer}"`);
  return Number(total);
}
