import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ZooKeeperServer } from '../support/zookeeper-server.js';

const manifest = new URL('../../libs/nestjs-zk-lock/package.json', import.meta.url);

/** What is measured, in one line. */
export async function versions(server: ZooKeeperServer): Promise<string> {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const [curator, kazoo] = await Promise.all(
    ['libcurator-recipes-java', 'python3-kazoo'].map(debianVersion),
  );
  const zooKeeper = /version: ([\d.]+)/.exec(await server.fourLetterWord('srvr'))?.[1];
  return [
    ...[`nestjs-zk-lock ${version}`, `Node ${process.version.slice(1)}`],
    ...[`ZooKeeper ${zooKeeper}`, `Curator ${curator}`, `kazoo ${kazoo}`],
  ].join(', ');
}

async function debianVersion(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)('dpkg-query', ['-W', '-f', '${Version}', name]);
  return stdout;
}
