import { setTimeout } from 'node:timers/promises';
import {
  cleanText,
  describeEvent,
  followTree,
  History,
  LockTree,
  shownText,
} from 'zk-locks/inspect';
import type { KeyEvent } from 'zk-locks/inspect';
import { loggerOf } from '../connection.js';
import type { FlagValues } from '../flags.js';
import { contenderForJson, nameContender } from '../keys/describe-key.js';
import { drawKeys } from '../keys/draw-history.js';
import { fit } from '../output/columns.js';
import { print, printJson, toJson } from '../output/print.js';
import { warn } from '../output/say.js';
import { outputWidth, understandsCodes } from '../output/terminal.js';
import { wrap } from '../output/wrap.js';
import { readSettings } from '../settings.js';
import { tellAway } from './tell-away.js';

/** How often it draws, in milliseconds, so that ages advance and changes appear. */
const DRAW_MS = 500;

/** The number of other messages shown, the latest ones. */
const MOST_NOTES = 3;

const HOME_AND_CLEAR = '\u001B[H\u001B[J';

/**
 * Draws in a terminal what the lock board draws. Without a terminal that it can draw in, prints a line for each event.
 *
 * @param only the only key to show; undefined for all
 * @param interrupted ends it at once, even while ZooKeeper does not answer
 * @throws {ZooKeeperUnavailableError} without an answer within `--connect-timeout`
 */
export async function watchLive(
  flags: FlagValues,
  only: string | undefined,
  interrupted: AbortSignal,
): Promise<void> {
  const isJson = flags.isOn('json');
  const isDrawn = !isJson && outputWidth() !== undefined && understandsCodes();
  const notes: string[] = [];
  let hasDrawn = false as boolean;
  const tell = (line: string): void => {
    if (!hasDrawn) warn(line);
    // The next drawing would erase the line.
    else notes.push(cleanText(line));
  };
  const tree = new LockTree(readSettings(flags), loggerOf(flags, tell));
  interrupted.addEventListener('abort', () => void tree.close(), { once: true });
  const history = new History();
  const stop = followTree(tree, history, (events) => {
    const told = events.filter(({ key }) => only === undefined || key === only);
    if (!isDrawn) {
      print(told.map((event) => lineOf(history, event, isJson)));
    }
  });
  if (!isDrawn) tellAway(tree);
  try {
    tree.start();
    let keys = await tree.read();
    const at = new Date(tree.now()).toISOString();
    if (isJson) printJson([{ at, event: 'looking' }]);
    else if (!isDrawn) print(`${timeOf(at)}  watching from now on`);
    await untilInterrupted(interrupted, async () => {
      const columns = outputWidth();
      if (!isDrawn || columns === undefined) return;
      const reading = tree.read().then(
        (read) => (keys = read),
        () => undefined,
      );
      await Promise.race([reading, setTimeout(DRAW_MS)]);
      hasDrawn = true;
      const latest = notes.splice(-MOST_NOTES);
      notes.splice(0, Infinity, ...latest);
      const told = [...awayText(tree), ...latest].flatMap((line) => wrap(line, columns, 2));
      const rows = process.stdout.rows - told.length;
      const drawn = drawKeys(history, keys, { only, now: tree.now(), columns, rows });
      const lines = [...drawn.map((line) => fit(cleanText(line), columns)), ...told];
      print(`${HOME_AND_CLEAR}${lines.join('\n')}`);
    });
  } finally {
    stop();
    await tree.close();
  }
}

/** Why the drawing is outdated, if it is. */
function awayText(tree: LockTree): string[] {
  const { state } = tree.session.snapshot;
  if (state.name === 'connected') return [];
  const reason = tree.connectProblem ?? 'reconnecting';
  return [cleanText(`No connection to ZooKeeper: ${reason}. What is drawn is old.`)];
}

async function untilInterrupted(signal: AbortSignal, draw: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await draw();
    await setTimeout(DRAW_MS, undefined, { signal }).catch(() => undefined);
  }
}

const timeOf = (iso: string): string => iso.slice('2026-01-01T'.length, -1);

function lineOf(history: History, event: KeyEvent, isJson: boolean): string {
  const named = history.named(event);
  const { key, contender, ms, waiting, brokenBy } = named;
  const at = new Date(named.at).toISOString();
  if (isJson) {
    return toJson({
      ...{ at, event: named.event, key, ms, waiting, brokenBy },
      ...contenderForJson(contender),
    });
  }
  return cleanText(
    `${timeOf(at)}  ${shownText(key)}  ${nameContender(contender)} ${describeEvent(named)}; ${waiting} waiting`,
  );
}
