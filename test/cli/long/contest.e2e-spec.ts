import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openZooKeeper } from '../../support/open-servers.js';
import { notesFolder, run } from '../cli-process.js';

const RUNS = 50;

/** Reads the number, lets others run, and writes the next one: exact only where one at a time does so. */
const INCREMENT =
  'n=$(cat "$FILE"); sleep 0.01; echo "$ZK_LOCK_TOKEN" >> "$FILE.tokens"; echo $((n + 1)) > "$FILE"';

it(
  'counts exactly with fifty at once, in the order of their tokens',
  { timeout: 120_000 },
  async () => {
    const server = await openZooKeeper();
    const notes = notesFolder();
    const file = notes.path('count');
    writeFileSync(file, '0\n');
    const results = await Promise.all(
      Array.from({ length: RUNS }, () =>
        run(['run', 'count', '--', 'sh', '-c', INCREMENT], {
          // All of them share two cores or so.
          ...{ ZK_CONNECT: server.connectString, FILE: file, ZK_LOCK_SESSION_TIMEOUT: '30s' },
          ZK_LOCK_CONNECT_TIMEOUT: '60s',
        }),
      ),
    );
    expect(results.map(({ code, errors }) => ({ code, errors }))).toEqual(
      Array.from({ length: RUNS }, () => ({ code: 0, errors: '' })),
    );
    expect(readFileSync(file, 'utf8')).toBe(`${RUNS}\n`);
    const tokens = notes.read('count.tokens').trim().split('\n').map(BigInt);
    expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(tokens).size).toBe(RUNS);
  },
);
