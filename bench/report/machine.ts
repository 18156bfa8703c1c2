import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem, type } from 'node:os';
import { promisify } from 'node:util';

/** The machine and the versions of a run. */
export interface Machine {
  readonly date: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  /** The file system of all servers' data. */
  readonly fileSystem: string;
  /** The load average of one minute, when the run began. */
  readonly load: number;
  readonly versions: Readonly<Record<string, string>>;
}

export async function describeMachine(): Promise<Machine> {
  const [system, fileSystem, versions] = await Promise.all([
    firstLine('uname', ['-sr']),
    lastLine('df', ['--output=fstype', tmpdir()]),
    allVersions(),
  ]);
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? type(),
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: system ?? type(),
    fileSystem: fileSystem ?? 'unknown',
    load: loadavg()[0] ?? 0,
    versions,
  };
}

async function allVersions(): Promise<Record<string, string>> {
  const found: Record<string, string | undefined> = {
    'nestjs-zk-lock': manifestVersion('../../libs/nestjs-zk-lock/package.json'),
    Node: process.versions.node,
    'npm zookeeper': moduleVersion('zookeeper'),
    ZooKeeper: await debianVersion('libzookeeper-java'),
    Java: /"(.+?)"/.exec((await firstLine('java', ['-version'])) ?? '')?.[1],
    Curator: await debianVersion('libcurator-recipes-java'),
    kazoo: await debianVersion('python3-kazoo'),
    Python: (await firstLine('/usr/bin/python3', ['--version']))?.replace('Python ', ''),
    Redis: /v=(\S+)/.exec((await firstLine('redis-server', ['--version'])) ?? '')?.[1],
    redlock: moduleVersion('redlock'),
    ioredis: moduleVersion('ioredis'),
  };
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function moduleVersion(name: string): string | undefined {
  return manifestVersion(`../../node_modules/${name}/package.json`);
}

function manifestVersion(path: string): string | undefined {
  try {
    const text = readFileSync(new URL(path, import.meta.url), 'utf8');
    return (JSON.parse(text) as { version: string }).version.replace(/^v/, '');
  } catch {
    return undefined;
  }
}

async function debianVersion(name: string): Promise<string | undefined> {
  return firstLine('dpkg-query', ['-W', '-f', '${Version}', name]);
}

async function firstLine(program: string, args: readonly string[]): Promise<string | undefined> {
  return (await linesOf(program, args)).at(0);
}

async function lastLine(program: string, args: readonly string[]): Promise<string | undefined> {
  return (await linesOf(program, args)).at(-1);
}

/** Undefined if the program is missing. */
async function linesOf(program: string, args: readonly string[]): Promise<string[]> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args);
    // Java prints its version to the standard error.
    const lines = (stdout || stderr).split('\n').map((line) => line.trim());
    return lines.filter((line) => line !== '');
  } catch {
    return [];
  }
}
