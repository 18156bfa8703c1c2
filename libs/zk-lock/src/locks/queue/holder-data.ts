import { hostname } from 'node:os';

/** What a contender's znode says about it, as JSON that `zkCli.sh get` shows. Never secrets. */
export interface HolderData {
  readonly host: string;
  readonly pid: number;
  /** The module's `application`. */
  readonly application?: string | undefined;
  /** The call's `label`. */
  readonly label?: string | undefined;
  /** When it asked for the lock, by its own clock: ISO 8601, in UTC. */
  readonly since: string;
}

/** Longest `application` and `label`, in characters: each waiter's node repeats them. */
export const MAX_LABEL_LENGTH = 200;

/** A contender of this process that asks now. */
export function ownHolderData(application: string | undefined, label: string | undefined): Buffer {
  const data: HolderData = {
    host: hostname(),
    pid: process.pid,
    application,
    label,
    since: new Date().toISOString(),
  };
  return Buffer.from(JSON.stringify(data));
}

/** What a node's data say, where they are of this form; the nodes of other libraries are not. */
export function parseHolderData(data: Buffer): HolderData | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data.toString());
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { host, pid, application, label, since } = value as Record<string, unknown>;
  if (typeof host !== 'string' || typeof pid !== 'number' || typeof since !== 'string') {
    return undefined;
  }
  return {
    host,
    pid,
    ...(typeof application === 'string' && { application }),
    ...(typeof label === 'string' && { label }),
    since,
  };
}
