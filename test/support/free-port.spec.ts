import crypto from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { replaceBuiltin } from './replace-builtin.js';

type Draw = (low: number, high: number) => number;
const draw: Draw = crypto.randomInt;
const randomInt = vi.fn<Draw>(draw);
replaceBuiltin(crypto, 'randomInt', randomInt as unknown as typeof crypto.randomInt);

afterEach(() => void randomInt.mockReset());

/** As a separate process would see it, which does not know the ports given to others. */
async function freePortOfProcess(): Promise<() => Promise<number>> {
  vi.resetModules();
  return (await import('./free-port.js')).freePort;
}

async function listen(port: number, host: string): Promise<Server> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

it('gives no port to two processes at once, even with equal random numbers', async () => {
  let draws = 0;
  let port = 0;
  // Each number comes twice in a row.
  randomInt.mockImplementation((low: number, high: number) => {
    if (draws++ % 2 === 0) port = draw(low, high);
    return port;
  });
  const processes = [await freePortOfProcess(), await freePortOfProcess()];

  const ports = await Promise.all(
    Array.from({ length: 20 }, (_, index) => processes[index % 2]!()),
  );
  expect(new Set(ports).size).toBe(20);
});

it('gives no port that is in use, and releases its own', async () => {
  const { port } = (await listen(0, '127.0.0.1')).address() as AddressInfo;
  randomInt.mockImplementationOnce(() => port);
  expect(await (await freePortOfProcess())()).not.toBe(port);

  await listen(port, '127.0.0.2');
});
