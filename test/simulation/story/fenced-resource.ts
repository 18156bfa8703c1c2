import type { Write } from '../../soak/history/history.js';
import type { Fenced } from '../../workers/soak/resource-client.js';
import type { Network } from '../network/network.js';
import type { SimulatedProcess } from '../world/simulated-process.js';

interface Request {
  readonly key: string;
  readonly token: bigint;
  readonly answer: (accepted: boolean) => void;
}

/** The resource that the locks protect. It refuses a token lower than any that it has seen. */
export class FencedResource {
  readonly writes: Write[] = [];
  readonly #highest = new Map<string, bigint>();

  constructor(
    private readonly network: Network,
    private readonly process: SimulatedProcess,
  ) {}

  /** The resource as a process uses it over the network. */
  clientOf(client: SimulatedProcess): Fenced {
    const back = this.network.channel<() => void>(this.process, client, (run) => run());
    const forth = this.network.channel<Request>(client, this.process, (request) => {
      const accepted = this.#write(client.name, request);
      back.send(() => request.answer(accepted));
    });
    return {
      write: (_grant, key, token) =>
        new Promise((resolve) => forth.send({ key, token, answer: resolve })),
    };
  }

  #write(writer: string, { key, token }: Request): boolean {
    const accepted = token >= (this.#highest.get(key) ?? token);
    if (accepted) this.#highest.set(key, token);
    this.writes.push({ process: writer, key, token, accepted, at: this.process.world.now });
    return accepted;
  }
}
