import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { RecordingRelay } from './recording-relay.js';

/** The path of a program in `capture`. */
export function captureScript(name: string): string {
  return fileURLToPath(new URL(`capture/${name}`, import.meta.url));
}

/** Runs a client through the relay until it ends, and cuts its connection when it says so. */
export async function runClient(
  relay: RecordingRelay,
  [program = '', ...args]: readonly string[],
): Promise<void> {
  const child = spawn(program, [...args, String(relay.port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    if (line !== 'cut') continue;
    relay.cut();
    // The client waits for it, or for its own loss of the connection.
    child.stdin.write('\n');
  }
  expect(await ended).toEqual([0, null]);
}
