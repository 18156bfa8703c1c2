import { type CallEvent, onLockEvents } from 'nestjs-zk-lock/events';

/** What a replica tells the process that started it. Times are milliseconds since 1970. */
export type ReplicaNews =
  | { readonly what: 'serving'; readonly url: string }
  | {
      readonly what: 'granted';
      readonly key: string;
      readonly id: number;
      readonly at: number;
      readonly token: string;
      readonly waitMs: number;
    }
  | {
      readonly what: 'released' | 'lost';
      readonly key: string;
      readonly id: number;
      readonly at: number;
    }
  | { readonly what: 'session'; readonly at: number; readonly state: string };

/** Ends the replica with its parent, which may end while the replica starts. */
export function endWithParent(): void {
  if (!process.send) return;
  const end = (): void => void process.kill(process.pid, 'SIGTERM');
  if (process.connected) process.once('disconnect', end);
  else end();
}

/** Sends the replica's address and the events of its locks. */
export function reportToParent(url: string): void {
  if (!process.send) return;
  const send = (news: ReplicaNews): void => {
    if (process.connected) process.send?.(news);
  };
  const call = ({ key, id }: CallEvent) => ({ key, id, at: Date.now() });
  onLockEvents({
    holdStart: (event) => {
      const { fencingToken, waitMs } = event;
      send({ what: 'granted', ...call(event), token: String(fencingToken), waitMs });
    },
    holdEnd: (event) => send({ what: event.result, ...call(event) }),
    session: ({ state }) => send({ what: 'session', at: Date.now(), state }),
  });
  send({ what: 'serving', url });
}
