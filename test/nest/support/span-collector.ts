import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { waitFor } from '../../support/wait-for.js';

/** Takes what `@nestjs/observe` reports, in place of the service that usually does. */
export class SpanCollector {
  readonly #spans = new Set<string>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SpanCollector> {
    const server = createServer();
    const collector = new SpanCollector(server);
    server.on('request', (request, response) => {
      void buffer(request).then((body) => {
        collector.#add(JSON.parse(gunzipSync(body).toString()));
        response.end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Waits until calls of all these methods, `Class.method`, have been reported. */
  async sees(...methods: readonly string[]): Promise<void> {
    await waitFor(() => methods.every((method) => this.#spans.has(method)), {
      what: `spans of ${methods.join(', ')}`,
    });
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** A span has the class in `c` and the method in `m`. */
  #add(part: unknown): void {
    if (typeof part !== 'object' || part === null) return;
    const { c: className, m: method } = part as Record<string, unknown>;
    if (typeof className === 'string' && typeof method === 'string') {
      this.#spans.add(`${className}.${method}`);
    }
    for (const child of Object.values(part)) this.#add(child);
  }
}
