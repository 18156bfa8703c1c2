import { readdirSync } from 'node:fs';

const LIBRARIES = '/usr/lib';

/** Adds Debian's `faketime` to a command, so that the process has a wall clock with this error. */
export function withWrongClock(offsetMs: number, command: readonly string[]): string[] {
  if (offsetMs === 0) return [...command];
  const seconds = Math.round(offsetMs / 1_000);
  return [
    'env',
    `LD_PRELOAD=${fakeTime()}`,
    `FAKETIME=${seconds < 0 ? '' : '+'}${seconds}`,
    'FAKETIME_DONT_FAKE_MONOTONIC=1',
    // faketime's fix for timed waits breaks those of the JVM, which need none: each wait would end
    // at once, and the server would keep a core busy.
    'FAKETIME_FORCE_MONOTONIC_FIX=0',
    ...command,
  ];
}

function fakeTime(): string {
  for (const architecture of readdirSync(LIBRARIES)) {
    const folder = `${LIBRARIES}/${architecture}/faketime`;
    const files = architecture.endsWith('-linux-gnu') ? namesIn(folder) : [];
    if (files.includes('libfaketimeMT.so.1')) return `${folder}/libfaketimeMT.so.1`;
  }
  throw new Error('libfaketime is missing: apt-get install faketime');
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
