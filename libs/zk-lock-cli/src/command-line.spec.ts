import { describe, expect, it } from 'vitest';
import { allFlagsOf, parseCall } from './command-line.js';
import { flagName } from './flags.js';
import { readCommand } from './holding/command-flags.js';
import { readWanted } from './holding/take-flags.js';
import { connectionPage, overview, page } from './help.js';
import { readSettings } from './settings.js';
import { UsageError } from './usage-error.js';
import { findVerb, VERBS } from './verbs/all.js';

const run = findVerb('run')!;
const ENVIRONMENT = { ZK_CONNECT: 'zk:2181' };

/** What the words after `zk-lock run` come to. */
function read(words: readonly string[], environment: NodeJS.ProcessEnv = ENVIRONMENT) {
  const call = parseCall(run, words, environment);
  if (call === 'help') throw new Error('it is help');
  const wanted = readWanted(call.operands[0]!, call.flags);
  return { wanted, command: readCommand(call), settings: readSettings(call.flags) };
}

describe('the words of zk-lock run', () => {
  it('are the key, the flags, and a command that is left as it is', () => {
    const { wanted, command } = read(['-w', '5m', 'a', '--max-hold=1h', '--', 'ls', '--', '-w']);
    expect(wanted).toEqual({
      ...{ key: 'a', mode: 'write', permits: undefined, timeoutMs: 300_000, label: undefined },
    });
    expect(command).toMatchObject({ command: 'ls', args: ['--', '-w'], maxHoldMs: 3_600_000 });
  });

  it.each([
    { words: [], wanted: { mode: 'write', timeoutMs: Infinity } },
    { words: ['--read', '--try'], wanted: { mode: 'read', timeoutMs: 0 } },
    { words: ['-p', '4'], wanted: { mode: 'permit', permits: 4 } },
  ])('request what $words stands for', ({ words, wanted }) => {
    expect(read(['a', ...words, '--', 'ls']).wanted).toMatchObject(wanted);
  });

  it.each([
    { words: [], says: 'KEY is missing' },
    { words: ['a'], says: 'No command was given: write it after "--", as in: zk-lock run' },
    { words: ['a', '--', ''], says: 'No command was given: write it after "--"' },
    { words: ['a', 'ls'], says: '"ls" was not expected: write "--" before the command' },
    { words: ['a', '--soon', '--', 'ls'], says: 'Unknown option \'--soon\'. "zk-lock help run"' },
    { words: ['a', '--wait', '--', 'ls'], says: "Option '-w, --wait <value>' argument missing" },
    { words: ['a', '-w', '-n', '--', 'ls'], says: 'is ambiguous. "zk-lock help run" lists' },
    { words: ['a', '--wait', 'soon', '--', 'ls'], says: '--wait is "soon": pass a duration' },
    { words: ['a', '--try', '-w', '1s', '--', 'ls'], says: '--try and --wait exclude' },
    { words: ['a', '--read', '-p', '1', '--', 'ls'], says: '--read and --permits exclude' },
    { words: ['a', '--permits', '0', '--', 'ls'], says: '--permits is "0": pass an integer' },
    {
      words: ['a', '-k', '9s', '--', 'ls'],
      says: '--kill-after is 9000ms: a session of 10000ms leaves',
    },
    { words: ['a', '--revoke-signal', 'X', '--', 'ls'], says: '--revoke-signal is "X": pass the' },
  ])('are refused: $words', ({ words, says }) => {
    const reading = () => read(words);
    expect(reading).toThrow(UsageError);
    expect(reading).toThrow(says);
  });

  it.each([
    { set: { ZK_CONNECT: '' }, says: 'set ZK_CONNECT to their connect string' },
    { set: { ZK_LOCK_USER: 'me' }, says: 'pass --password-file (ZK_LOCK_PASSWORD_FILE)' },
    {
      set: { ZK_LOCK_USER: 'me', ZK_LOCK_PASSWORD_FILE: '/nowhere' },
      says: 'ZK_LOCK_PASSWORD_FILE is "/nowhere", which cannot be read (ENOENT)',
    },
    { set: { ZK_LOCK_TLS: 'perhaps' }, says: 'ZK_LOCK_TLS is "perhaps": set it to true or false' },
    {
      set: { ZK_LOCK_TLS: 'false', ZK_LOCK_TLS_CA: '/ca.pem' },
      says: 'ZK_LOCK_TLS is false, and ZK_LOCK_TLS_CA asks for TLS',
    },
    { set: { ZK_LOCK_TICK_TIME: 'x' }, says: 'ZK_LOCK_TICK_TIME is "x": pass a duration' },
  ])('cannot be used with $set', ({ set, says }) => {
    expect(() => read(['a', '--', 'ls'], { ...ENVIRONMENT, ...set })).toThrow(says);
  });

  it('take precedence over the environment', () => {
    const environment = { ...ENVIRONMENT, ZK_LOCK_ROOT: '/env', ZK_LOCK_APPLICATION: 'env' };
    const { settings } = read(['a', '--root', '/flag', '--', 'ls'], environment);
    expect(settings).toMatchObject({ servers: 'zk:2181', root: '/flag', application: 'env' });
  });
});

it('the list of verbs fits into a terminal', () => {
  for (const line of overview(VERBS, 80).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

describe.each(VERBS)('the verb $name', (verb) => {
  it('has a page with all its flags and their variables, and another page for those of the connection', () => {
    const text = page(verb, 80) + (verb.connects ? connectionPage(80) : '');
    for (const [name, flag] of Object.entries(allFlagsOf(verb))) {
      expect(text).toContain(`--${name}`);
      if (flag.variable !== undefined) expect(text).toContain(flag.variable);
    }
    const lines = text.split('\n').filter((line) => !line.startsWith('  zk-lock '));
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it('has examples that can be called', () => {
    for (const example of verb.examples) {
      const words = example.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''));
      expect(words.slice(0, 2)).toEqual(['zk-lock', verb.name]);
      expect(parseCall(verb, words.slice(2), ENVIRONMENT)).not.toBe('help');
    }
  });

  it('has no two flags with the same letter', () => {
    const letters = Object.values(allFlagsOf(verb)).map(({ short }) => short);
    const given = letters.filter((letter) => letter !== undefined);
    expect(new Set(given).size).toBe(given.length);
    expect(flagName('connect', allFlagsOf(verb).connect)).toMatch(/^--connect/);
  });
});
