import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { func, type Option, readChecked, withJson } from 'zk-client/recipes';
import type {
  ActionEvent,
  BreakEvent,
  ConnectionReport,
  HoldEndEvent,
  HoldStartEvent,
  JobEvent,
  SessionEvent,
  WaitEndEvent,
  WaitStartEvent,
} from './events.js';

/** The names of the channels of `node:diagnostics_channel`. They do not change. */
export const LOCK_CHANNELS = {
  waitStart: 'zk-locks:wait:start',
  waitEnd: 'zk-locks:wait:end',
  holdStart: 'zk-locks:hold:start',
  holdEnd: 'zk-locks:hold:end',
  job: 'zk-locks:job',
  break: 'zk-locks:break',
  action: 'zk-locks:action',
  session: 'zk-locks:session',
} as const;

/** The event of each channel. */
export interface LockEvents {
  waitStart: WaitStartEvent;
  waitEnd: WaitEndEvent;
  holdStart: HoldStartEvent;
  holdEnd: HoldEndEvent;
  job: JobEvent;
  break: BreakEvent;
  action: ActionEvent;
  session: SessionEvent;
}

export type LockEventName = keyof LockEvents;

// The references keep the channels alive: Node drops a channel without references.
export const channels = Object.fromEntries(
  Object.entries(LOCK_CHANNELS).map(([name, id]) => [name, channel(id)]),
) as Record<LockEventName, ReturnType<typeof channel>>;

/** A channel, because a process may have several copies of this library. */
const CENSUS = 'zk-locks:census';
const census = channel(CENSUS);

export function publish<Name extends LockEventName>(name: Name, event: LockEvents[Name]): void {
  channels[name].publish(withJson(event));
}

const listener = func('a function', 'Pass what is to be called with the event.');
const LISTENERS = Object.fromEntries(
  Object.keys(LOCK_CHANNELS).map((name) => [name, listener]),
) as Record<LockEventName, Option>;

/**
 * Calls the listeners with the events of this process.
 *
 * @returns a function that stops it
 * @throws {ZkLockConfigError}
 */
export function onLockEvents(listeners: {
  readonly [Name in LockEventName]?: (event: LockEvents[Name]) => void;
}): () => void {
  const entries = Object.entries(readChecked(listeners, LISTENERS)).map(([name, listener]) => ({
    name: LOCK_CHANNELS[name as LockEventName],
    onMessage: (message: unknown) => (listener as (event: unknown) => void)(message),
  }));
  for (const { name, onMessage } of entries) subscribe(name, onMessage);
  return () => {
    for (const { name, onMessage } of entries) unsubscribe(name, onMessage);
  };
}

/**
 * Returns the current state of all connections of this process, without a request. If two applications have
 * connections with the same name, there are two reports.
 */
export function readConnections(): ConnectionReport[] {
  const reports: ConnectionReport[] = [];
  census.publish((report: ConnectionReport) => void reports.push(report));
  return reports;
}

/**
 * Answers {@link readConnections}.
 *
 * @param report returns undefined if there is nothing to report yet
 * @returns a function that stops it
 */
export function onReadConnections(report: () => ConnectionReport | undefined): () => void {
  const onMessage = (answer: unknown): void => {
    const ownReport = report();
    if (ownReport) (answer as (report: ConnectionReport) => void)(ownReport);
  };
  subscribe(CENSUS, onMessage);
  return () => unsubscribe(CENSUS, onMessage);
}
