import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from '../cli/support.js';
import type { InspectClient } from '../support/inspect-client.js';
import { openInspector, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { zooKeeperClassPath } from '../support/zookeeper-command.js';

/*
 * Messages print commands with paths in them, and any client may create a directory below the root.
 * When such a command is pasted into a shell, it must delete that directory or node and run nothing
 * else.
 */

const HOSTILE = [
  '$(touch PWNED) `touch PWNED` it\'s "here" & touch PWNED; touch ${IFS}PWNED; #',
  'a\u202e; touch PWNED; #',
];

const BY_HAND = '_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-__WRIT__';
const FIRST = '0000000000';

/**
 * A shell in an empty directory, with ZooKeeper's own `zkCli.sh` connected to the test's server.
 */
function openShell(): (command: string) => Promise<string[]> {
  const [bin, cwd] = [makeTempDir('bin'), makeTempDir('pasted')];
  onTestFinished(() => [bin, cwd].forEach(removeTempDir));
  const zkCli = join(bin, 'zkCli.sh');
  const java = `java -Dfile.encoding=UTF-8 -Dsun.jnu.encoding=UTF-8 -cp '${zooKeeperClassPath()}' org.apache.zookeeper.ZooKeeperMain`;
  writeFileSync(
    zkCli,
    `#!/bin/sh\nexec ${java} -server ${sharedServer().connectString} "$@" 2>/dev/null\n`,
  );
  chmodSync(zkCli, 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, LC_ALL: 'C.UTF-8' };
  return async (command) => {
    await promisify(execFile)('bash', ['-c', command], { cwd, env }).catch(() => undefined);
    return readdirSync(cwd);
  };
}

async function openDirectory(name: string): Promise<{
  readonly root: string;
  readonly directory: string;
  readonly inspector: InspectClient;
}> {
  const root = ownRoot();
  const inspector = await openInspector();
  const directory = `${root}/${name}`;
  for (const path of [root, directory]) await inspector.create(path);
  return { root, directory, inspector };
}

it.each(HOSTILE)(
  'of zk-lock deletes the node that a stranger left in %j, and runs nothing',
  async (name) => {
    const { root, directory, inspector } = await openDirectory(name);
    const paste = openShell();
    for (const verb of [
      ['show', name],
      ['doctor', '--no-write'],
    ]) {
      const node = `${directory}/${BY_HAND}${FIRST}`;
      await inspector.create(node);
      const { output } = await runCli(verb, { ZK_LOCK_ROOT: root });
      const [, command] = /(zkCli\.sh delete .+)$/m.exec(output) ?? [];
      expect(command, output).toBeDefined();
      expect(await paste(command!)).toEqual([]);
      expect(await inspector.exists(node), command).toBeUndefined();
    }
  },
);
