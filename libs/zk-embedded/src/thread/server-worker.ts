import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddedServer } from '../embedded-server.js';
import type { EmbeddedZooKeeperOptions } from '../options.js';
import type { CallMessage, ReplyMessage, ServerCall, StartMessage } from './calls.js';
import { packError } from './error-message.js';

function invoke(server: EmbeddedServer, call: ServerCall, args: readonly unknown[]): unknown {
  const callable = server as unknown as Record<ServerCall, (...values: unknown[]) => unknown>;
  return callable[call](...args);
}

async function answer(
  server: EmbeddedServer,
  { id, call, args }: CallMessage,
): Promise<ReplyMessage> {
  try {
    return { id, result: await invoke(server, call, args) };
  } catch (error) {
    return { id, failure: packError(error) };
  }
}

async function run(): Promise<void> {
  const tell = (message: StartMessage | ReplyMessage): void => parentPort?.postMessage(message);
  try {
    const server = await EmbeddedServer.start(workerData as EmbeddedZooKeeperOptions);
    parentPort?.on('message', (message: CallMessage) => void answer(server, message).then(tell));
    tell({ port: server.port });
  } catch (error) {
    tell({ failure: packError(error) });
  }
}

void run();
