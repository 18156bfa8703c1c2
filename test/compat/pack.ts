import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The tarball of a library as it would be published, in `directory`. */
export async function packLibrary(name: string, directory: string): Promise<string> {
  const destination = ['--pack-destination', directory, '--json', '--silent'];
  const { stdout } = await run('npm', ['pack', '--workspace', name, ...destination], { cwd: root });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  return join(directory, packed!.filename);
}
