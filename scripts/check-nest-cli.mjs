/**
 * Builds each project of `nest-cli.json` by Nest's command line, with and without its name, starts each
 * application, and asks it for its health. Leaves no process behind.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { libraries, readJson, root, run } from './packages/libraries.mjs';

const cli = join(root, 'node_modules/@nestjs/cli');
const nest = join(cli, readJson(join(cli, 'package.json')).bin.nest);

const START_MS = 120_000;

/** The line with which each application prints its address. */
const GREETINGS = { demo: /^Demo: (\S+) /, warehouse: /^Warehouse: (\S+) / };
const DEFAULT = 'demo';

const foldersIn = (folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);

/** Checks that everything that can be built has a project. */
function checkProjects() {
  const { projects } = readJson(join(root, 'nest-cli.json'));
  const expected = [...foldersIn('apps'), ...libraries.map((name) => `libs/${name}`)].sort();
  const named = Object.values(projects).map((project) => project.root);
  if (named.toSorted().join() !== expected.join()) {
    throw new Error(`nest-cli.json has ${named.join(', ')}; wanted are ${expected.join(', ')}`);
  }
  return Object.entries(projects);
}

function build(...names) {
  run(process.execPath, [nest, 'build', ...names], { shell: false });
  console.log(['nest build', ...names].join(' '));
}

function buildApplication(folder, ...names) {
  const dist = join(root, folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  build(...names);
  if (existsSync(join(dist, 'main.js'))) return;
  throw new Error(`nest build ${names.join(' ')} has not written ${dist}/main.js`);
}

/** Checks that the build of a library removes foreign files and leaves built files unchanged. */
function buildLibrary(folder, name) {
  const dist = join(root, folder, 'dist');
  const stray = join(dist, 'stray.txt');
  const before = contentsOf(dist);
  writeFileSync(stray, '');
  build(name);
  const isBuilt = !existsSync(stray);
  rmSync(stray, { force: true });
  if (!isBuilt) throw new Error(`nest build ${name} has built nothing`);
  if (contentsOf(dist) !== before) {
    throw new Error(`nest build ${name} makes something else than npm run build`);
  }
}

function contentsOf(folder) {
  const paths = readdirSync(folder, { recursive: true }).sort();
  return paths
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => `${path}\n${readFileSync(join(folder, path), 'utf8')}`)
    .join('\n');
}

/** @param names the name of the application; none for the default */
async function start(greeting, ...names) {
  const command = ['nest start', ...names].join(' ');
  const state = mkdtempSync(join(tmpdir(), 'nest-start-'));
  const ports = { PORT: '0', TCP_PORT: '0' };
  const started = spawn(process.execPath, [nest, 'start', ...names], {
    cwd: root,
    env: { ...process.env, ...ports, ZK_CONNECT: '', DEMO_STATE: join(state, 'sales.jsonl') },
    stdio: ['ignore', 'pipe', 'inherit'],
    // In a process group of its own, because the command starts the application as a child process.
    detached: true,
  });
  const tooLate = setTimeout(() => signal(started, 'SIGKILL'), START_MS);
  try {
    const url = await readAddress(started, greeting, command);
    const { status } = await fetch(`${url}/health`);
    if (status !== 200) throw new Error(`${command}: ${url}/health answers ${status}`);
    console.log(`${command}: it serves`);
  } finally {
    const exited = started.exitCode === null ? once(started, 'exit') : undefined;
    signal(started, 'SIGTERM');
    await exited;
    while (signal(started, 0)) await sleep(20);
    clearTimeout(tooLate);
    rmSync(state, { recursive: true });
  }
}

async function readAddress(started, greeting, command) {
  const output = [];
  for await (const line of createInterface({ input: started.stdout })) {
    output.push(line);
    const [, url] = greeting.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error(`${command} did not start:\n${output.join('\n')}`);
}

/** Sends a signal to the group. Returns whether one of its processes is left. */
function signal({ pid }, name) {
  try {
    return process.kill(-pid, name);
  } catch {
    return false;
  }
}

const projects = checkProjects();
buildApplication(`apps/${DEFAULT}`);
for (const [name, project] of projects) {
  if (project.type === 'application') buildApplication(project.root, name);
  else buildLibrary(project.root, name);
}
await start(GREETINGS[DEFAULT]);
for (const [name, greeting] of Object.entries(GREETINGS)) await start(greeting, name);
