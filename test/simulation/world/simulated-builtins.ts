import { AsyncResource } from 'node:async_hooks';
import { Buffer } from 'node:buffer';
import crypto from 'node:crypto';
import dns from 'node:dns/promises';
import net from 'node:net';
import os from 'node:os';
import timersPromises from 'node:timers/promises';
import { closeChannels } from './channels.js';
import { currentProcess, currentEnvironment } from './current-process.js';
import type { SimulatedImmediate } from './simulated-process.js';
import type { SimulatedTimer } from './timers.js';

/*
 * Replaces time, randomness, names and the network before the libraries are loaded. What the
 * libraries import is then provided by the simulated process whose turn it is.
 */

/** The functions that the simulator itself still needs. */
export const real = {
  setTimeout: globalThis.setTimeout,
  performanceNow: performance.now.bind(performance),
};

type Callback = (...args: unknown[]) => void;
type Changeable = Record<string, unknown>;

const RealDate = Date;

class SimulatedDate extends RealDate {
  constructor(value: number | string | Date = currentEnvironment('Date').wall()) {
    super(value);
  }

  static override now(): number {
    return currentEnvironment('Date').wall();
  }
}

/** Wraps a callback so that it runs in the async context of its creation, as Node's timers do. */
function inContext(type: string, run: Callback, args: unknown[] = []): () => void {
  const resource = new AsyncResource(type, { requireManualDestroy: true });
  return () => resource.runInAsyncScope(run, undefined, ...args);
}

const clear = (timer: SimulatedTimer | undefined): void => void timer?.close();

const globals: Changeable = {
  Date: SimulatedDate,
  setTimeout: (run: Callback, ms?: number, ...args: unknown[]) =>
    currentProcess('setTimeout').addTimer(inContext('Timeout', run, args), ms),
  setInterval: (run: Callback, ms?: number, ...args: unknown[]) =>
    currentProcess('setInterval').addTimer(inContext('Timeout', run, args), ms, true),
  setImmediate: (run: Callback, ...args: unknown[]) =>
    currentProcess('setImmediate').addImmediate(inContext('Immediate', run, args)),
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: (immediate: SimulatedImmediate | undefined) => {
    if (immediate) immediate.run = undefined;
  },
};

function abortedBy(signal: AbortSignal): Error {
  return Object.assign(new Error('The operation was aborted', { cause: signal.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });
}

/** A promise that resolves when `start` calls `done`, and rejects when the signal aborts. */
function interruptible<T>(
  value: T,
  signal: AbortSignal | undefined,
  start: (done: () => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedBy(signal));
    const onAbort = (): void => {
      stop();
      reject(abortedBy(signal!));
    };
    const stop = start(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve(value);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

const promises: Changeable = {
  setTimeout: <T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}) =>
    interruptible(value, signal, (done) => {
      const timer = currentProcess('setTimeout of timers/promises').addTimer(done, ms);
      return () => void timer.close();
    }),
  setImmediate: <T>(value?: T, { signal }: { signal?: AbortSignal } = {}) =>
    interruptible(value, signal, (done) => {
      const immediate = currentProcess('setImmediate of timers/promises').addImmediate(done);
      return () => void (immediate.run = undefined);
    }),
};

function timeout(ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = (): void =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  currentProcess('AbortSignal.timeout').addTimer(inContext('Timeout', abort), ms).unref();
  return controller.signal;
}

/** Node's own function holds its sources weakly, so it would depend on garbage collection. */
function any(signals: Iterable<AbortSignal>): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    const abort = (): void => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
  return controller.signal;
}

function randomBytes(length: number): Buffer {
  const { random } = currentEnvironment('randomBytes');
  const bytes = Buffer.allocUnsafe(length);
  for (let place = 0; place < length; place++) bytes[place] = random.between(0, 255);
  return bytes;
}

function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const ends = [0, 4, 6, 8, 10, 16];
  return ends
    .slice(1)
    .map((end, place) => bytes.toString('hex', ends[place], end))
    .join('-');
}

const RESOLUTION = 2 ** 31 - 1;

function hrtime(): bigint {
  return currentProcess('process.hrtime').world.nextInstant();
}

function replaceBuiltins(): void {
  Object.assign(globalThis, globals);
  Object.assign(performance, { now: () => currentEnvironment('performance.now').monotonic() });
  Math.random = () =>
    currentEnvironment('Math.random').random.between(0, RESOLUTION - 1) / RESOLUTION;
  Object.assign(AbortSignal, { timeout, any });
  Object.assign(timersPromises, promises);
  Object.assign(crypto, { randomBytes, randomUUID });
  Object.assign(os, { hostname: () => currentProcess('hostname').host });
  Object.assign(process.hrtime, { bigint: hrtime });
  Object.defineProperty(process, 'pid', { get: () => currentProcess('process.pid').pid });
  Object.assign(net, {
    connect: (options: { readonly host: string; readonly port: number }) => {
      const process = currentProcess('net.connect');
      return process.world.network!.connect(process, options);
    },
  });
  Object.assign(dns, {
    lookup: (name: string) =>
      Promise.resolve(currentProcess('dns.lookup').world.network!.lookup(name)),
  });
}

replaceBuiltins();
closeChannels();
