import type { JournalEntry } from '../../workers/soak/protocol.js';
import type { ClockChange, Grant, History, Refusal, Stall, Wait } from './history.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export type JournalPart = Pick<
  History,
  'grants' | 'waits' | 'refusals' | 'stalls' | 'clockChanges' | 'errors'
>;

/** Reads the grants and waits from a process's journal. */
export function readJournal(process: string, text: string): JournalPart {
  return readEntries(process, entriesOf(text));
}

export function readEntries(process: string, entries: readonly JournalEntry[]): JournalPart {
  const grants = new Map<number, Mutable<Grant>>();
  const waits = new Map<number, Mutable<Wait>>();
  const refusals: Refusal[] = [];
  const stalls: Stall[] = [];
  const clockChanges: ClockChange[] = [];
  const errors: { process: string; error: string }[] = [];
  const grantOf = (number: number): Mutable<Grant> => {
    const grant = grants.get(number);
    if (!grant) throw new Error(`the journal of ${process} has no grant ${String(number)}`);
    return grant;
  };

  for (const entry of entries) {
    switch (entry.type) {
      case 'asked': {
        const { wait, key, kind, patienceMs, at } = entry;
        waits.set(wait, { process, number: wait, key, kind, patienceMs, askedAt: at });
        break;
      }
      case 'answered': {
        const { wait, outcome, message, at } = entry;
        const asked = waits.get(wait);
        if (asked) asked.answer = { at, outcome, message };
        break;
      }
      case 'entered': {
        const { grant, holding, token, at, type: _type, ...rest } = entry;
        grants.set(grant, {
          ...rest,
          ...{
            process,
            id: `${process}#${String(grant)}`,
            holding: `${process}#${String(holding)}`,
          },
          ...{ token: token === undefined ? undefined : BigInt(token), enteredAt: at, heldAt: at },
        });
        break;
      }
      case 'held':
        grantOf(entry.grant).heldAt = entry.at;
        break;
      case 'told':
        grantOf(entry.grant).told = { at: entry.at, reason: entry.reason };
        break;
      case 'asked-back':
        grantOf(entry.grant).askedBackAt = entry.at;
        break;
      case 'refused':
        refusals.push({ grant: grantOf(entry.grant), isHeld: entry.isHeld, at: entry.at });
        break;
      case 'stalled':
        stalls.push({ process, from: entry.from, at: entry.at });
        break;
      case 'rejected':
        grantOf(entry.grant).rejectedAt = entry.at;
        break;
      case 'set-forward':
        clockChanges.push({ process, at: entry.at });
        break;
      case 'untold':
        grantOf(entry.grant).untoldAt = entry.at;
        break;
      case 'left':
        grantOf(entry.grant).leftAt = entry.at;
        break;
      case 'session':
        break;
      case 'broke':
        errors.push({ process, error: entry.error });
        break;
      default:
        entry satisfies never;
    }
  }
  return {
    grants: [...grants.values()],
    waits: [...waits.values()],
    refusals,
    stalls,
    clockChanges,
    errors,
  };
}

/** A killed process may leave an incomplete line. */
function entriesOf(text: string): JournalEntry[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalEntry);
}
