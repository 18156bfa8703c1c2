import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const left = new Set<string>();

process.on('exit', () => {
  for (const directory of left) removeTempDir(directory);
});

/** A new empty directory, removed by {@link removeTempDir} or when the process exits. */
export function makeTempDir(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), `${prefix}-`));
  left.add(directory);
  return directory;
}

export function removeTempDir(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  left.delete(directory);
}
