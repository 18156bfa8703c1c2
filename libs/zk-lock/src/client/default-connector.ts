import { NativeConnector } from './native/native-connector.js';
import { NativeClientError } from './native/native-module.js';
import { WireConnector } from './wire/wire-connector.js';
import type { ConnectRequest, ZooKeeperClient, ZooKeeperConnector } from './zookeeper-client.js';

/** By npm `zookeeper` where that works in this process, else by `zk-client`. */
export class DefaultConnector implements ZooKeeperConnector {
  #chosen: ZooKeeperConnector | undefined;
  #reason = '';

  get description(): string {
    return `${this.#choose().description}${this.#reason}`;
  }

  load(): void {
    this.#choose();
  }

  connect(request: ConnectRequest): Promise<ZooKeeperClient> {
    return this.#choose().connect(request);
  }

  #choose(): ZooKeeperConnector {
    this.#chosen ??= this.#nativeIfItWorks() ?? new WireConnector();
    return this.#chosen;
  }

  #nativeIfItWorks(): ZooKeeperConnector | undefined {
    const native = new NativeConnector();
    try {
      native.load();
      return native;
    } catch (error) {
      if (!(error instanceof NativeClientError)) throw error;
      this.#reason = `, for npm \`zookeeper\` ${error.problem}`;
      return undefined;
    }
  }
}
