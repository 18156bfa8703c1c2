import { ZooKeeperUnavailableError } from 'zk-locks';
import { cleanText, type LockTree, shownText, textShownAs, type TreeKey } from 'zk-locks/inspect';
import { Signals } from '../child/signals.js';
import { ExitCode, signalExitCode } from '../exit-codes.js';
import { explain } from '../explain.js';
import { type Flags, type FlagValues, JSON_FLAG } from '../flags.js';
import { type Change, changesBetween } from '../keys/changes.js';
import { contenderForJson, modeOf, nameContender } from '../keys/describe-key.js';
import { fit } from '../output/columns.js';
import { print, toJson } from '../output/print.js';
import { warn } from '../output/say.js';
import { outputWidth } from '../output/terminal.js';
import { withTree } from '../tree-connection.js';
import type { Call, Verb } from '../verb.js';
import { tellAway } from './tell-away.js';
import { watchLive } from './watch-live.js';

export const watch: Verb = {
  name: 'watch',
  summary: 'Prints who waits for, acquires and releases locks, as it happens.',
  operands: ['[KEY]'],
  connects: true,
  flags: {
    live: {
      help: 'Draws who has held each key and how many calls have waited. Without a terminal, it prints what happened, and how long it took.',
    },
    ...JSON_FLAG,
  } satisfies Flags,
  description: [
    'Prints a line for each holder and waiter of KEY, or of all keys, and then one for each change: holds, waits, released, left (the queue). It continues until a signal arrives (Ctrl-C), even if the connection is lost meanwhile.',
    'Changes in quick succession may be seen as one: a lock that was held only for a moment may not be shown.',
    'With --live, it also says how long each hold and each wait lasted, and why it ended, as far as that is known. Hand-overs in memory (option `cohort`) are not seen.',
  ],
  exitCodes: [['128+n', 'signal n ended it']],
  examples: ['zk-lock watch', 'zk-lock watch deploy:web --json', 'zk-lock watch --live'],
  run: watchKeys,
};

async function watchKeys({ flags, operands }: Call): Promise<number> {
  const only = operands[0] === undefined ? undefined : textShownAs(operands[0]);
  using signals = new Signals();
  const { interrupted } = signals;
  try {
    if (flags.isOn('live')) await watchLive(flags, only, interrupted);
    else await withTree(flags, (tree) => printChanges(tree, flags, only, interrupted), interrupted);
  } catch (error) {
    if (!signals.first) throw error;
  }
  return signals.first ? signalExitCode(signals.first) : ExitCode.ok;
}

async function printChanges(
  tree: LockTree,
  flags: FlagValues,
  only: string | undefined,
  interrupted: AbortSignal,
): Promise<void> {
  const isJson = flags.isOn('json');
  const changes = new Changes(tree, interrupted);
  let before: ReadonlyMap<string, TreeKey> = new Map();
  tellAway(tree);
  while (!interrupted.aborted) {
    const after = await readOrWarn(tree, only);
    if (after) {
      for (const change of changesBetween(before, after)) print(lineOf(change, tree.now(), isJson));
      before = after;
    }
    await changes.next();
  }
}

/** Undefined while ZooKeeper does not answer; the change is reported when it does. */
async function readOrWarn(
  tree: LockTree,
  only: string | undefined,
): Promise<ReadonlyMap<string, TreeKey> | undefined> {
  try {
    const all = await tree.read();
    if (only === undefined) return all;
    const found = all.get(only);
    return new Map(found && [[only, found]]);
  } catch (error) {
    if (!(error instanceof ZooKeeperUnavailableError)) throw error;
    warn(explain(error).message);
    return undefined;
  }
}

function lineOf({ event, key, contender }: Change, now: number, isJson: boolean): string {
  const at = new Date(now).toISOString();
  if (isJson) return toJson({ at, event, key, ...contenderForJson(contender) });
  const time = at.slice('2026-01-01T'.length, -1);
  const line = `${time}  ${event.padEnd(8)}  ${shownText(key)}  ${modeOf(contender)}  ${nameContender(contender)}`;
  const width = outputWidth();
  return width === undefined ? cleanText(line) : fit(line, width);
}

/** Waits for changes, one after the other. */
class Changes {
  #wake: (() => void) | undefined;
  #hasChanged = false;

  constructor(
    tree: LockTree,
    private readonly interrupted: AbortSignal,
  ) {
    const wake = (): void => {
      this.#hasChanged = true;
      this.#wake?.();
    };
    tree.onChange(wake);
    interrupted.addEventListener('abort', wake, { once: true });
  }

  async next(): Promise<void> {
    if (!this.#hasChanged && !this.interrupted.aborted) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    this.#hasChanged = false;
  }
}
