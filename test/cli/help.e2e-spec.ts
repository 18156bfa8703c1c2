import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { notesFolder, runCli } from './support.js';

const run = promisify(execFile);

describe('zk-lock help', () => {
  it('needs no ZooKeeper: the verbs, a page for each, and the version', async () => {
    const none = { ZK_CONNECT: '' };
    const [all, page, flag, connection, version, nothing] = await Promise.all([
      runCli(['help'], none),
      runCli(['help', 'run'], none),
      runCli(['run', '--help'], none),
      runCli(['help', 'connection'], none),
      runCli(['--version'], none),
      runCli([], none),
    ]);
    expect(all).toMatchObject({ code: 0, errors: '' });
    expect(all.output).toMatch(/^ {2}run +Runs a command while holding a lock\.$/m);
    const headings = page.output.split('\n').filter((line) => /^[A-Z ]+$/.test(line));
    expect(headings).toEqual([
      ...['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'CONNECTION', 'EXIT STATUS', 'EXAMPLES'],
    ]);
    expect(flag.output).toBe(page.output);
    expect(page.output).toContain('"zk-lock help connection"');
    expect(page.output).not.toContain('--tls-ca');
    expect(connection.output).toMatch(/^ {2}--tls-ca FILE, ZK_LOCK_TLS_CA$/m);
    for (const { output } of [page, connection]) {
      expect(output).toMatch(/A plain number means\s+seconds\./);
    }
    expect(version.output).toMatch(/^zk-lock \d+\.\d+\.\d+\n$/);
    expect(nothing).toMatchObject({
      code: 64,
      errors: 'zk-lock: No verb was given: "zk-lock help" lists them.\n',
    });
  });
});

describe('zk-lock completion', () => {
  it('completes verbs, flags, values and commands in bash', async () => {
    const { output } = await runCli(['completion', 'bash']);
    const notes = notesFolder();
    writeFileSync(notes.path('completion'), output);
    writeFileSync(notes.path('my file'), '');
    const complete = async (...words: readonly string[]): Promise<string[]> => {
      const script = `
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _zk_lock
        printf '%s\\n' "\${COMPREPLY[@]}"`;
      const args = ['-c', script, 'bash', notes.path('completion'), 'zk-lock', ...words];
      // Bash lists a command once for each directory of PATH that has it.
      return [...new Set((await run('bash', args)).stdout.trim().split('\n'))];
    };
    expect(await complete('r')).toEqual(['run', 'revoke']);
    expect(await complete('run', 'key', '--max')).toEqual(['--max-hold']);
    expect(await complete('ls', '--dialect', 'k')).toEqual(['kazoo']);
    expect(await complete('completion', 'z')).toEqual(['zsh']);
    for (const file of ['completion', 'my file']) {
      const begun = notes.path(file.slice(0, 2));
      expect(await complete('run', 'key', '--tls-ca', begun)).toEqual([notes.path(file)]);
    }
    expect(await complete('run', 'key', '--', 'printenv')).toEqual(['printenv']);
  });

  it.each(['zsh', 'fish'])('names all verbs for %s', async (shell) => {
    const { code, output } = await runCli(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['run', 'revoke', 'max-hold', 'curator-rw', 'help'])
      expect(output).toContain(word);
  });
});
