import {
  LockAccessError,
  Locks,
  type LocksOptions,
  ZkLockError,
  ZooKeeperUnavailableError,
} from 'zk-locks';
import { cleanText, LockTree, messageWithoutLink } from 'zk-locks/inspect';
import { type Finding, type Level, problem } from '../doctor/finding.js';
import { examineKeys } from '../doctor/keys.js';
import { askServers } from '../doctor/servers.js';
import { checkSession, checkWrites } from '../doctor/write-check.js';
import { ExitCode } from '../exit-codes.js';
import { explain } from '../explain.js';
import { JSON_FLAG } from '../flags.js';
import { continueUnread, print, printJson } from '../output/print.js';
import { type Colour, outputWidth, paint } from '../output/terminal.js';
import { wrap } from '../output/wrap.js';
import { readSettings } from '../settings.js';
import type { Call, Verb } from '../verb.js';

export const doctor: Verb = {
  name: 'doctor',
  summary: 'Looks for problems with the servers, the settings and the keys.',
  operands: [],
  connects: true,
  flags: {
    'no-write': {
      help: 'Writes nothing: skips the write latency, the clock and the access check.',
    },
    ...JSON_FLAG,
  },
  description: [
    'Asks each server for its version and mode, and opens a session. If the root exists, it acquires and releases a lock of its own, "zk-lock-doctor:…", three times, to measure a write and compare the clocks. It reads all keys, and looks for mixed dialects, foreign nodes, counters near their end, empty directories that pile up, deadlocks and the oldest holders. It says what to do about each problem.',
  ],
  exitCodes: [
    ['0', 'no problem was found; there may be notes'],
    ['1', 'there are problems'],
    ['64', 'the settings are not valid'],
  ],
  examples: ['zk-lock doctor', 'zk-lock doctor --no-write --json'],
  run: examine,
};

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;

async function examine({ flags }: Call): Promise<number> {
  // Its exit code says whether there is a problem.
  continueUnread();
  const settings = readSettings(flags);
  const isJson = flags.isOn('json');
  // Refuses malformed settings before any server is asked.
  const locks = new Locks(settings);
  const levels = new Set<Level>();
  const tell = (findings: readonly Finding[]): void => {
    for (const { level } of findings) levels.add(level);
    if (isJson) printJson(findings);
    else print(findings.flatMap(linesOf));
  };
  const { connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = settings;
  const servers = await askServers(settings, connectTimeoutMs);
  tell(servers.findings);
  try {
    await locks.start();
    tell([checkSession(locks, settings)]);
    if (!flags.isOn('no-write')) tell(await checkWrites(locks, settings));
    tell(await examineTree(settings));
  } catch (error) {
    tell([explainFailure(error, servers.hasNoMajority)]);
  } finally {
    await locks.close();
  }
  return levels.has('problem') ? ExitCode.negative : ExitCode.ok;
}

async function examineTree(settings: LocksOptions): Promise<readonly Finding[]> {
  const tree = await LockTree.open(settings);
  try {
    const sight = await tree.look();
    const findings = await examineKeys(sight, tree.now());
    const refusal = tree.runsRefusal();
    return refusal ? [...findings, explainFailure(refusal, false)] : findings;
  } finally {
    await tree.close();
  }
}

function explainFailure(error: unknown, hasNoMajority: boolean): Finding {
  if (!(error instanceof ZkLockError)) throw error;
  const { message } = explain(error);
  if (error instanceof LockAccessError) {
    const remedy =
      'Set --user (ZK_LOCK_USER) and --password-file (ZK_LOCK_PASSWORD_FILE) to the user of these locks: ZooKeeper accepts a wrong password without an error, and then refuses access.';
    return problem('access', messageWithoutLink(error).split('. ')[0] ?? message, remedy);
  }
  if (!(error instanceof ZooKeeperUnavailableError))
    return problem('session', message, 'See above.');
  const remedy = hasNoMajority
    ? 'Start servers until a majority of them is running.'
    : 'See the findings about the servers above.';
  return problem('session', message.replace(/ Check .*$/s, ''), remedy);
}

const COLOURS: Readonly<Record<Level, Colour>> = { ok: 'green', note: 'yellow', problem: 'red' };

const LONGEST_LINE = 100;
const LEVEL_WIDTH = 'problem'.length;

function linesOf({ level, about, message, remedy }: Finding): string[] {
  const width = Math.min(outputWidth() ?? LONGEST_LINE, LONGEST_LINE);
  const indent = LEVEL_WIDTH + 2;
  const [first = '', ...others] = wrap(cleanText(`${about}: ${message}`), width, indent);
  const head = paint(COLOURS[level], level.padEnd(LEVEL_WIDTH));
  const advice = remedy === undefined ? [] : wrap(cleanText(`-> ${remedy}`), width, indent);
  return [`${head}  ${first.trimStart()}`, ...others, ...advice];
}
