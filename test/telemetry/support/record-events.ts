import { type LockEventName, type LockEvents, onLockEvents } from 'nestjs-zk-lock/events';
import { onTestFinished } from 'vitest';

type Recorded = {
  [Name in LockEventName]: { name: Name; event: LockEvents[Name] };
}[LockEventName];

export interface EventRecord {
  /** Of calls, in the order in which they came. */
  readonly calls: readonly Recorded[];
  /** The names of those of one key, with how it ended where that is told. */
  story(key: string): string[];
  of<Name extends LockEventName>(name: Name): LockEvents[Name][];
  stop(): void;
}

/** Hears of everything until the test is over. */
export function recordEvents(): EventRecord {
  const calls: Recorded[] = [];
  const add = (recorded: Recorded): void => void calls.push(recorded);
  const stop = onLockEvents({
    waitStart: (event) => add({ name: 'waitStart', event }),
    waitEnd: (event) => add({ name: 'waitEnd', event }),
    holdStart: (event) => add({ name: 'holdStart', event }),
    holdEnd: (event) => add({ name: 'holdEnd', event }),
    job: (event) => add({ name: 'job', event }),
    session: (event) => add({ name: 'session', event }),
  });
  onTestFinished(stop);
  return {
    calls,
    story: (key) =>
      calls.flatMap(({ name, event }) => {
        if (!('key' in event) || event.key !== key) return [];
        return ['result' in event ? `${name} ${event.result}` : name];
      }),
    of: (name) =>
      calls.filter((recorded) => recorded.name === name).map(({ event }) => event) as never,
    stop,
  };
}
