import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server?: Socket;
}

/**
 * The network between one replica and ZooKeeper. When it is cut, it delivers nothing and closes nothing,
 * so that neither end notices, as when a switch fails.
 */
export class Link implements AsyncDisposable {
  readonly #pairs = new Set<Pair>();
  #isCut = false;
  #opened = 0;

  private constructor(
    private readonly listener: Server,
    private readonly targets: readonly string[],
    private readonly chroot: string,
  ) {
    listener.on('connection', (client) => this.#join(client));
  }

  /** @param connectString `host:port,host:port/chroot`; connections go to one server after another */
  static async open(connectString: string): Promise<Link> {
    const [hosts = '', ...path] = connectString.split('/');
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new Link(listener, hosts.split(','), path.map((name) => `/${name}`).join(''));
  }

  /** The connect string for the replica. */
  get connectString(): string {
    return `127.0.0.1:${(this.listener.address() as AddressInfo).port}${this.chroot}`;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  cut(): void {
    this.#isCut = true;
    for (const { client, server } of this.#pairs) {
      if (!server) continue;
      client.unpipe(server).pause();
      server.unpipe(client).pause();
    }
  }

  /** New connections reach ZooKeeper again; those that were cut are closed. */
  mend(): void {
    this.#isCut = false;
    for (const pair of this.#pairs) this.#end(pair);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.mend();
    const closed = once(this.listener, 'close');
    this.listener.close();
    await closed;
  }

  #join(client: Socket): void {
    const server = this.#isCut ? undefined : this.#connect();
    const pair: Pair = server ? { client, server } : { client };
    this.#pairs.add(pair);
    for (const socket of [client, server]) {
      socket?.on('error', () => {
        // The event `close` follows and is handled.
      });
      socket?.once('close', () => {
        if (!this.#isCut) this.#end(pair);
      });
    }
    if (server) client.pipe(server).pipe(client);
    else client.pause();
  }

  #connect(): Socket {
    const target = this.targets[this.#opened++ % this.targets.length] ?? '';
    const [, host = '', port = '2181'] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(target) ?? [];
    return connect(Number(port), host);
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.server?.destroy();
  }
}
