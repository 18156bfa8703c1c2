import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The standard output of a command, if it succeeds. */
export function output(command, args, env = {}) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** Runs npm in a folder of its own, and shows its output if it fails. */
export function npm(prefix, args, env = {}) {
  const npmCli = process.env.npm_execpath;
  const [command, first] = npmCli ? [process.execPath, [npmCli]] : ['npm', []];
  const all = [...first, '--prefix', prefix, '--no-audit', '--no-fund', ...args];
  const { status, stdout, stderr } = spawnSync(command, all, {
    cwd: prefix,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
}
