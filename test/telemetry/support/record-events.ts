import { type LockEventName, type LockEvents, onLockEvents } from 'nestjs-zk-lock/events';
import { onTestFinished } from 'vitest';

type Recorded = {
  [Name in LockEventName]: { name: Name; event: LockEvents[Name] };
}[LockEventName];

export interface EventRecord {
  /** The events of calls, in order. */
  readonly calls: readonly Recorded[];
  /** The names of one key's events, with the outcome if there is one. */
  story(key: string): string[];
  of<Name extends LockEventName>(name: Name): LockEvents[Name][];
  stop(): void;
}

/** Records all events until the end of the test. */
export function recordEvents(): EventRecord {
  const calls: Recorded[] = [];
  const add = (recorded: Recorded): void => void calls.push(recorded);
  const stop = onLockEvents({
    waitStart: (event) => add({ name: 'waitStart', event }),
    waitEnd: (event) => add({ name: 'waitEnd', event }),
    holdStart: (event) => add({ name: 'holdStart', event }),
    holdEnd: (event) => add({ name: 'holdEnd', event }),
    break: (event) => add({ name: 'break', event }),
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
