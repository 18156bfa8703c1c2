import { signalExitCode, ExitCode } from '../exit-codes.js';
import type { Signals } from '../child/signals.js';
import { JSON_FLAG } from '../flags.js';
import type { Held } from '../holding/take.js';
import { TAKE_FLAGS } from '../holding/take-flags.js';
import { whileHeld } from '../holding/while-held.js';
import { printEvent } from '../output/print.js';
import type { Call, Verb } from '../verb.js';

export const hold: Verb = {
  name: 'hold',
  summary: 'Takes a lock and holds it.',
  operands: ['KEY'],
  connects: true,
  flags: {
    ...TAKE_FLAGS,
    for: { value: 'TIME', short: 'f', help: 'Gives it back after so long (default: never).' },
    ...JSON_FLAG,
  },
  description: [
    'Waits for the lock of KEY, says so in one line, and holds it until --for is over, until a signal comes (Ctrl-C), or until "zk-lock revoke" asks for it. For maintenance by hand, and for scripts that wait for the line.',
  ],
  exitCodes: [
    ['0', '--for is over, or "zk-lock revoke" has asked for it'],
    ['75', 'it was busy (-E gives another code)'],
    ['76', 'it was lost'],
    ['128+n', 'a signal n came'],
  ],
  examples: ['zk-lock hold deploy:web --for 30m --label "database migration"'],
  run: holdLock,
};

async function holdLock(call: Call): Promise<number> {
  const { flags } = call;
  const forMs = flags.durationMs('for');
  const isJson = flags.isOn('json');
  return whileHeld(call, async (_, held, signals) => {
    const { key, mode, token } = held;
    const news = { key, mode, ...(token !== undefined && { token: String(token) }) };
    const told = token === undefined ? '' : ` with token ${token}`;
    printEvent(isJson, { event: 'held', ...news }, `holding "${key}" (${mode})${told}`);
    const { event, says, code } = await untilOver(held, forMs, signals);
    if (event === 'released') await held.release();
    printEvent(isJson, { event, ...news }, `${says} "${key}"`);
    return code;
  });
}

const A_DAY_MS = 86_400_000;

interface Over {
  readonly event: 'released' | 'lost';
  readonly says: string;
  readonly code: number;
}

async function untilOver(held: Held, forMs: number | undefined, signals: Signals): Promise<Over> {
  return new Promise((resolve) => {
    const end = (over: Over): void => {
      clearTimeout(timer);
      resolve(over);
    };
    const released = { event: 'released', says: 'gave back', code: ExitCode.ok } as const;
    // After a pause of this process, timers run before it hears that the lock was lost meanwhile.
    const onTime = (): void => void setImmediate(() => end(released));
    // Something has to keep the process alive.
    const timer =
      forMs === undefined ? setInterval(() => undefined, A_DAY_MS) : setTimeout(onTime, forMs);
    const on = (signal: AbortSignal | undefined, listener: () => void): void => {
      if (signal?.aborted) listener();
      else signal?.addEventListener('abort', listener, { once: true });
    };
    on(held.signal, () => end({ event: 'lost', says: 'lost', code: ExitCode.lost }));
    on(held.revoked, () => end({ ...released, says: 'gave back, as it is asked for,' }));
    on(signals.interrupted, () => {
      end({ ...released, code: signals.first ? signalExitCode(signals.first) : ExitCode.failed });
    });
  });
}
