/** Builds and starts the demo by Nest's command line, as `nest-cli.json` says, and asks it for a page. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readJson, root, run } from './packages/libraries.mjs';

const command = join(
  root,
  'node_modules/@nestjs/cli',
  readJson(join(root, 'node_modules/@nestjs/cli/package.json')).bin.nest,
);

run(process.execPath, [command, 'build', 'demo'], { shell: false });

const state = mkdtempSync(join(tmpdir(), 'nest-start-'));
const started = spawn(process.execPath, [command, 'start', 'demo'], {
  cwd: root,
  env: { ...process.env, PORT: '0', ZK_CONNECT: '', DEMO_STATE: join(state, 'sales.jsonl') },
  stdio: ['ignore', 'pipe', 'inherit'],
  // A group of its own, since the application is a process of the command's.
  detached: true,
});
const output = [];
let url;
for await (const line of createInterface({ input: started.stdout })) {
  output.push(line);
  [, url] = /^Box office: (\S+),/.exec(line) ?? [];
  if (url) break;
}
try {
  if (!url) throw new Error(`nest start demo did not start:\n${output.join('\n')}`);
  const { status } = await fetch(`${url}/health`);
  if (status !== 200) throw new Error(`nest start demo: ${url}/health answers ${status}`);
  console.log('nest build demo, nest start demo: the demo serves');
} finally {
  if (started.exitCode === null) {
    process.kill(-started.pid, 'SIGTERM');
    await once(started, 'exit');
  }
  rmSync(state, { recursive: true });
}
