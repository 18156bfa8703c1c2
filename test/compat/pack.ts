import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';

export const run = promisify(execFile);
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A folder with these libraries, installed from their tarballs as npm does. */
export async function installPacked(...names: readonly string[]): Promise<string> {
  const directory = makeTempDir('installed');
  onTestFinished(() => {
    removeTempDir(directory);
  });
  writeFileSync(join(directory, 'package.json'), '{"private":true,"type":"module"}');
  const tarballs: string[] = [];
  for (const name of names) tarballs.push(await packLibrary(name, directory));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], {
    cwd: directory,
  });
  return directory;
}

/** The tarball of a library as it would be published, in `directory`. */
async function packLibrary(name: string, directory: string): Promise<string> {
  const destination = ['--pack-destination', directory, '--json', '--silent'];
  const { stdout } = await run('npm', ['pack', '--workspace', name, ...destination], { cwd: root });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  return join(directory, packed!.filename);
}
