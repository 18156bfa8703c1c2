import type { JournalEntry, LockKind } from '../../../workers/soak/protocol.js';

const NAMES: Readonly<Record<LockKind, (key: string) => string>> = {
  write: (key) => `the write lock ${key}`,
  read: (key) => `the read lock ${key}`,
  upgradable: (key) => `the upgradable lock ${key}`,
  downgrade: (key) => `the lock ${key} that is downgraded`,
  several: (key) => `the write lock ${key} among several`,
  permits: (key) => `permits of ${key}`,
  leader: (key) => `the lead of ${key}`,
  run: (key) => `a run of the job ${key}`,
};

/** Describes an event in a process; undefined if it needs no sentence. */
export function tellEntry(
  process: string,
  entry: JournalEntry,
  /** Finds the path of the node with this token. */
  nodeOf: (token: string) => string | undefined,
): string | undefined {
  const who = `Process ${process}`;
  switch (entry.type) {
    case 'asked': {
      const { kind, key, wait, patienceMs } = entry;
      const limit = patienceMs === undefined ? '' : `, for ${patienceMs} ms at most`;
      return `${who} asks for ${NAMES[kind](`"${key}"`)}${limit} (call ${wait}).`;
    }
    case 'answered':
      if (entry.outcome === 'granted') return undefined;
      return `${who} gets ${entry.outcome} for its call ${entry.wait}.`;
    case 'entered': {
      const { kind, access, key, token, grant } = entry;
      const node = token === undefined ? undefined : nodeOf(token);
      const proof = token === undefined ? '' : ` (token ${token})`;
      const place = node === undefined ? '' : ` by its node …${node.slice(-10)}`;
      return `${who} is granted ${NAMES[kind](`"${key}"`)} (${access})${proof}${place}: grant ${grant}.`;
    }
    case 'held':
      return `${who} finds that it has grant ${entry.grant}.`;
    case 'told':
      return `${who} is told that grant ${entry.grant} is lost: ${entry.reason}.`;
    case 'asked-back':
      return `${who} is asked for grant ${entry.grant}.`;
    case 'untold':
      return `${who} finds that it has grant ${entry.grant} no longer, without a signal.`;
    case 'rejected':
      return `The work of ${process} under grant ${entry.grant} is rejected, without a signal.`;
    case 'left':
      return `${who} leaves grant ${entry.grant}.`;
    case 'refused':
      return `The resource refuses a write of ${process} under grant ${entry.grant}.`;
    case 'set-forward':
      return `The wall clock of ${process} is set forward by ${entry.ms} ms.`;
    case 'broke':
      return `A call of ${process} (${entry.kind}) throws ${entry.error.split('\n')[0] ?? ''}.`;
    case 'stalled':
    case 'session':
      return undefined;
  }
}
