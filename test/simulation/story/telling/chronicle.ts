import type { Violation } from '../../../soak/history/history.js';
import { isUnder, lockNodeFrom } from '../../../soak/history/lock-node.js';
import type { EnsembleView } from '../../ensemble/ensemble-view.js';
import type { JournalEntry } from '../../../workers/soak/protocol.js';
import { tellEntry } from './tell-entry.js';

/** An event of a story, as a sentence. */
interface Happening {
  readonly at: number;
  text: string;
  /** Shown only if a violation names its grant. */
  readonly isDetail?: boolean;
  /** The key of the lock; absent if the event does not concern one lock. */
  readonly key?: string | undefined;
  /** The grant as named in violations, such as `one.1#17`. */
  readonly grant?: string | undefined;
}

/**
 * Lines of the log about servers, operators and kernels. They are sentences without a full stop.
 */
const OTHERS = /^([\d.]+) ((?:server|operator|resource)\b.*|.* stalls for .*)$/;
/** How long before the first named grant the account begins. */
const BEFORE_MS = 20;
/** The number of events at the end that are shown if no grant is named. */
const MOST_AT_END = 40;
const MOST_VIOLATIONS = 5;

/** Collects the events of a story and renders them as sentences. */
export class Chronicle {
  readonly #happenings: Happening[] = [];
  readonly #keys = new Map<string, string>();
  /** The events of calls that wait, and of grants that are held. */
  readonly #open = new Map<string, Happening>();
  /** Paths of nodes, by fencing token. */
  readonly #nodes = new Map<bigint, string>();

  constructor(private readonly view: EnsembleView) {}

  entry(process: string, entry: JournalEntry): void {
    const { at } = entry;
    const number = 'grant' in entry ? entry.grant : 'wait' in entry ? entry.wait : undefined;
    const id = number === undefined ? undefined : `${process}#${number}`;
    if (id !== undefined && 'key' in entry) this.#keys.set(id, entry.key);
    if (entry.type === 'entered' && entry.token !== undefined) {
      this.#findNode(entry.key, BigInt(entry.token));
    }
    if (entry.type === 'answered' && entry.outcome === 'granted' && id !== undefined) {
      // The grant has its own sentence.
      const asked = this.#open.get(id);
      if (asked) this.#happenings.splice(this.#happenings.lastIndexOf(asked), 1);
      this.#open.delete(id);
    }
    const text = tellEntry(process, entry, (token) => this.#nodes.get(BigInt(token)));
    if (text === undefined) return;
    const key = id === undefined ? undefined : this.#keys.get(id);
    const grant = 'grant' in entry ? id : undefined;
    const happening = { at, text, key, grant, isDetail: entry.type === 'held' };
    this.#happenings.push(happening);
    if (id === undefined) return;
    const before = this.#open.get(id);
    if (entry.type === 'asked' || entry.type === 'entered') this.#open.set(id, happening);
    // A grant that ended normally is described in one sentence.
    else if (entry.type === 'told') this.#open.delete(id);
    else if (entry.type === 'left' && before) {
      this.#open.delete(id);
      before.text += ` It leaves it at ${inSeconds(at)}.`;
      this.#happenings.pop();
    }
  }

  tell(at: number, text: string): void {
    this.#happenings.push({ at, text });
  }

  /**
   * The story as numbered sentences with their times: faults, and the calls related to the
   * violations.
   *
   * @param lines the log of the world
   */
  story(violations: readonly Violation[], lines: readonly string[]): string[] {
    const text = violations[0]?.message ?? '';
    const all = [...this.#happenings, ...lines.flatMap(fromLine)].toSorted(
      (one, other) => one.at - other.at,
    );
    const named = all.filter(({ grant }) => grant !== undefined && isNamed(grant, text));
    const keys = new Set(named.map(({ key }) => key));
    for (const key of this.#keys.values()) if (text.includes(`"${key}"`)) keys.add(key);
    const concerns = ({ key }: Happening): boolean =>
      key === undefined || keys.size === 0 || keys.has(key);
    const [first] = named;
    const from = first ? first.at - BEFORE_MS : (all.at(-MOST_AT_END)?.at ?? 0);
    const until = named.at(-1)?.at ?? Infinity;
    const isTold = (one: Happening): boolean => {
      if (one.key === undefined) return true;
      if (one.isDetail && !named.includes(one)) return false;
      return concerns(one) && one.at >= from && one.at <= until;
    };
    const told = all.filter(isTold);
    const sentences = told.map(
      ({ at, text: sentence }, place) =>
        `${String(place + 1).padStart(4)}. ${inSeconds(at)}  ${sentence}`,
    );
    const broken = violations
      .slice(0, MOST_VIOLATIONS)
      .map(({ promise, message }) => `VIOLATION ${promise}: ${message}`);
    const more = violations.length - broken.length;
    return [...sentences, ...broken, ...(more > 0 ? [`and ${more} violations more`] : [])];
  }

  #findNode(key: string, token: bigint): void {
    for (const { czxid, data, path } of this.view.below(`/locks/${key}`)) {
      if (data && isUnder(lockNodeFrom(czxid, data), { token })) this.#nodes.set(token, path);
    }
  }
}

function inSeconds(at: number): string {
  return `${(at / 1_000).toFixed(3)} s`;
}

/** Does not find `one.1#1` in a message with `one.1#17`. */
function isNamed(grant: string, text: string): boolean {
  const at = text.indexOf(grant);
  return at >= 0 && !/\d/.test(text[at + grant.length] ?? '');
}

function fromLine(line: string): Happening[] {
  const [, seconds, text] = OTHERS.exec(line) ?? [];
  if (seconds === undefined || text === undefined) return [];
  return [{ at: Number(seconds), text: `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.` }];
}
