import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../workers/soak/random.js';
import type { Watched } from './ledger.js';
import { COUNTERS, PAIR, RELAY, SEAT, USERS } from './paths.js';
import type { UserContext } from './user-call.js';

const SINGLE = [...COUNTERS, ...PAIR];
const ALL = [...SINGLE, RELAY, SEAT];
/** Changes within this time are read together. */
const GATHERING_MS = 20;
/** The pause after a read that failed. */
const PAUSE_MS = 200;
/** The percentage of watches that last until the end. */
const LASTING_PERCENT = 20;
/** The percentage of watches on locks. */
const LOCKS_PERCENT = 60;
/** The maximum number of watches of a process that last until the end. */
const MOST_LASTING = 3;

interface WhatToWatch {
  readonly path: string;
  readonly isRecursive: boolean;
  readonly isOfLocks: boolean;
}

/** Keeps a copy of znodes, or of the names in a lock's directory, updated by watch events. */
export async function watchForAWhile(context: UserContext, random: Random): Promise<void> {
  const copy = new Copy(context, await pickWhat(context, random));
  if (context.stops.size < MOST_LASTING && random.chance(LASTING_PERCENT)) return;
  await sleep(random.between(100, 3_000));
  copy.stop();
}

async function pickWhat(context: UserContext, random: Random): Promise<WhatToWatch> {
  const isRecursive = random.chance(50);
  const { directories } = context;
  if (directories.length > 0 && random.chance(LOCKS_PERCENT)) {
    const path = random.pick(directories);
    const node = random.chance(50) ? await nodeIn(context, path, random) : undefined;
    if (node === undefined) return { path, isRecursive, isOfLocks: true };
    return { path: node, isRecursive: false, isOfLocks: false };
  }
  return { path: isRecursive ? USERS : random.pick(SINGLE), isRecursive, isOfLocks: false };
}

/** The path of a lock node or guard; undefined if the directory is empty. */
async function nodeIn(
  { client }: UserContext,
  directory: string,
  random: Random,
): Promise<string | undefined> {
  const names = await client.list(directory).catch(() => []);
  return names.length > 0 ? `${directory}/${random.pick(names.toSorted())}` : undefined;
}

class Copy {
  readonly #watched: Watched;
  readonly #stale = new Set<string>();
  readonly #stopWatching: () => void;
  #isReading = false;

  constructor(
    private readonly context: UserContext,
    private readonly what: WhatToWatch,
  ) {
    const { process, client, ledger, stops } = context;
    const { path, isRecursive } = what;
    this.#watched = { process, path, isRecursive, seen: new Map(), isOver: false };
    ledger.watches.push(this.#watched);
    stops.add(this.stop);
    this.#stopWatching = client.onChange(path, (event) => this.#onEvent(event), {
      recursive: isRecursive,
    });
  }

  readonly stop = (): void => {
    if (this.#watched.isOver) return;
    this.#watched.isOver = true;
    this.context.stops.delete(this.stop);
    this.#stopWatching();
  };

  #onEvent({ type, path }: { readonly type: string; readonly path: string }): void {
    const { ledger, process } = this.context;
    if (this.#watched.isOver) {
      ledger.contradictions.push(`${process} was told of ${path}, which it watches no more`);
    }
    const { what } = this;
    if (what.isOfLocks || !what.isRecursive) this.#stale.add(what.path);
    else if (type === 'gap') {
      for (const one of [...ALL, ...this.#watched.seen.keys()]) this.#stale.add(one);
    } else if (path.startsWith(`${USERS}/`)) this.#stale.add(path);
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#stale.size > 0 && !this.#watched.isOver) {
      await sleep(GATHERING_MS);
      const [path] = this.#stale;
      this.#stale.delete(path!);
      try {
        this.#watched.seen.set(path!, await this.#read(path!));
      } catch (error) {
        const { code = '' } = error as { code?: string };
        if (code === 'ZK_CLOSED') return;
        if (code === 'ZK_NO_NODE') this.#watched.seen.set(path!, undefined);
        else {
          this.#stale.add(path!);
          await sleep(PAUSE_MS);
        }
      }
    }
    this.#isReading = false;
  }

  async #read(path: string): Promise<string> {
    const { client } = this.context;
    if (this.what.isOfLocks) return (await client.list(path)).toSorted().join(' ');
    return (await client.get(path)).data.toString();
  }
}
