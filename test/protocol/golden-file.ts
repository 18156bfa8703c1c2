import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readable, type ReadFrame } from '../../libs/zk-protocol/src/testing/read-along.js';

const directory = fileURLToPath(new URL('../../libs/zk-protocol/src/golden/', import.meta.url));

/**
 * Writes what was recorded to `libs/zk-protocol/src/golden`, but only for the command that
 * `capture/vitest.config.ts` names: an ordinary test run leaves the files alone.
 */
export function keepGolden(name: string, connections: readonly (readonly ReadFrame[])[]): void {
  if (process.env.CAPTURE_GOLDEN !== 'yes') return;
  const lines = connections.flatMap((frames, connection) =>
    withoutRepeatedPings(frames).map(({ from, is, bytes, value }) =>
      JSON.stringify({ connection, from, is, value: readable(value), hex: bytes.toString('hex') }),
    ),
  );
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}${name}.jsonl`, `${lines.join('\n')}\n`);
}

/** One of them says it all. */
function withoutRepeatedPings(frames: readonly ReadFrame[]): ReadFrame[] {
  const first = (is: string): ReadFrame | undefined => frames.find((one) => one.is === is);
  const kept = new Set(['ping', 'ping reply'].map(first));
  return frames.filter((one) => !one.is.startsWith('ping') || kept.has(one));
}
