import { signalExitCode, ExitCode } from '../exit-codes.js';
import type { Signals } from '../child/signals.js';
import { JSON_FLAG } from '../flags.js';
import type { Held } from '../holding/take.js';
import { TAKE_FLAGS } from '../holding/take-flags.js';
import { whileHeld } from '../holding/while-held.js';
import { whyLost } from '../holding/why-lost.js';
import { printEvent } from '../output/print.js';
import type { Call, Verb } from '../verb.js';

export const hold: Verb = {
  name: 'hold',
  summary: 'Acquires a lock and holds it.',
  operands: ['KEY'],
  connects: true,
  flags: {
    ...TAKE_FLAGS,
    for: { value: 'TIME', short: 'f', help: 'Releases the lock after TIME (default: never).' },
    ...JSON_FLAG,
  },
  description: [
    'Waits for the lock of KEY, prints one line when it has it, and holds it until --for is over, a signal arrives (Ctrl-C), or "zk-lock revoke" asks for it. Use it for manual maintenance, and in scripts that wait for that line.',
  ],
  exitCodes: [
    ['0', 'the lock was released: --for was over, or "zk-lock revoke" asked for it'],
    ['75', 'the lock was busy (-E selects another code)'],
    ['76', 'the lock was lost'],
    ['128+n', 'signal n ended it'],
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
    const { event, says, note = '', code } = await untilOver(held, forMs, signals);
    if (event === 'released') await held.release();
    printEvent(isJson, { event, ...news }, `${says} "${key}"${note}`);
    return code;
  });
}

const A_DAY_MS = 86_400_000;

interface Over {
  readonly event: 'released' | 'lost';
  readonly says: string;
  readonly note?: string;
  readonly code: number;
}

async function untilOver(held: Held, forMs: number | undefined, signals: Signals): Promise<Over> {
  return new Promise((resolve) => {
    const end = (over: Over): void => {
      clearTimeout(timer);
      resolve(over);
    };
    const released = { event: 'released', says: 'released', code: ExitCode.ok } as const;
    // After a pause of this process, timers run before it learns that the lock was lost.
    const onTime = (): void => void setImmediate(() => end(released));
    // Something has to keep the process alive.
    const timer =
      forMs === undefined ? setInterval(() => undefined, A_DAY_MS) : setTimeout(onTime, forMs);
    const on = (signal: AbortSignal | undefined, listener: () => void): void => {
      if (signal?.aborted) listener();
      else signal?.addEventListener('abort', listener, { once: true });
    };
    on(held.signal, () => {
      const note = ` (${whyLost(held.signal.reason)})`;
      end({ event: 'lost', says: 'lost', note, code: ExitCode.lost });
    });
    on(held.revoked, () => end({ ...released, note: ' (revoked)' }));
    on(signals.interrupted, () => {
      end({ ...released, code: signals.first ? signalExitCode(signals.first) : ExitCode.failed });
    });
  });
}
