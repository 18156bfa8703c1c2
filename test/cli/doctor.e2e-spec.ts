import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LockTree } from 'zk-locks/inspect';
import { openInspector, openLocks, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { type CallResult, notesFolder, runCli, startCli } from './support.js';

interface Finding {
  readonly level: string;
  readonly about: string;
  readonly message: string;
  readonly remedy?: string;
}

function findingsIn({ output }: CallResult): Finding[] {
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Finding);
}

/** The findings that require action. */
const problemsIn = (result: CallResult): Finding[] =>
  findingsIn(result).filter(({ level }) => level === 'problem');

describe('zk-lock doctor', () => {
  it('finds nothing wrong with a healthy server, says what it has measured, and leaves nothing behind', async () => {
    const root = ownRoot();
    const locks = await openLocks({ root, application: 'billing', tickTimeMs: 500 });
    const held = await locks.acquire('order:1');
    const environment = { ZK_LOCK_ROOT: root };
    const [text, json] = [
      await runCli(['doctor'], environment),
      await runCli(['doctor', '--json'], environment),
    ];
    expect([text.code, json.code]).toEqual([0, 0]);
    expect(text.output).toMatch(
      /^ok {7}127\.0\.0\.1:\d+: \d+\.\d+\.\d+, standalone, answers in \d+ ms$/m,
    );
    expect(text.output).toMatch(/^ok {7}session: timeout 30 s, connected to 127\.0\.0\.1:\d+$/m);
    expect(text.output).toMatch(/^note {5}servers: there is only one server/m);
    const about = Object.fromEntries(
      findingsIn(json).map(({ about: of, message }) => [of, message]),
    );
    expect(about).toMatchObject({
      write: expect.stringMatching(/^a write took \d/) as string,
      clock: "agrees with ZooKeeper's",
      keys: '1 in use, 1 held, 0 waiting',
      'key "order:1"': expect.stringMatching(/^held for \d+ s by billing on /) as string,
    });
    const tree = await LockTree.open({ servers: sharedServer().connectString, root });
    onTestFinished(() => tree.close());
    const used = [...(await tree.read()).values()].filter(({ total }) => total > 0);
    expect(used.map(({ key }) => key)).toEqual(['order:1']);
    await held.release();
  });

  it.each(['-runs', '-runs/k'])(
    'says that an ACL hides %s, as `jobs` does, while other commands show the keys',
    async (hidden) => {
      const root = ownRoot();
      const inspector = await openInspector();
      const paths = [root, `${root}/k`, `${root}-runs`, `${root}-runs/k`];
      for (const path of paths) await inspector.create(path);
      await inspector.restrictTo(`${root}${hidden}`, 'other', 'secret');
      const environment = { ZK_LOCK_ROOT: root };
      const told = await runCli(['doctor', '--json', '--no-write'], environment);
      const message = expect.stringContaining(`refused access to ${root}${hidden}`) as string;
      expect(problemsIn(told)).toMatchObject([{ about: 'access', message }]);
      const jobs = await runCli(['jobs'], environment);
      expect(jobs.code).not.toBe(0);
      expect(jobs.errors).toContain(`refused access to ${root}${hidden}`);
      expect((await runCli(['ls'], environment)).code).toBe(0);
      const others = await runCli(['jobs', 'other:'], environment);
      expect(others.code === 0).toBe(hidden === '-runs/k');
    },
  );

  it('says what to do about mixed dialects, foreign nodes and a counter near its end', async () => {
    const root = ownRoot();
    const inspector = await openInspector();
    const locks = await openLocks({ root, tickTimeMs: 500 });
    // Held, because the server removes the directories of locks once they are empty.
    const held = await Promise.all(['mixed', 'foreign', 'other'].map((key) => locks.acquire(key)));
    const made = [
      `${root}/mixed/_c_${randomUUID()}-lock-2000000000`,
      `${root}/foreign/note`,
      `${root}/other/${'0'.repeat(32)}__lock__0000000007`,
    ];
    for (const path of made) await inspector.create(path, '');
    const [mixed, ...others] = held;
    for (const lock of others) await lock.release();
    const result = await runCli(['doctor', '--json'], { ZK_LOCK_ROOT: root });
    for (const path of made) await inspector.delete(path);
    await mixed?.release();
    expect(result.code).toBe(1);
    const found = problemsIn(result)
      .map(({ about, message }) => `${about} ${message}`)
      .sort();
    expect(found).toEqual([
      'key "foreign" Its directory has 1 child that is not a lock node, such as "note". Calls for it are refused.',
      'key "mixed" Its directory has nodes of several dialects: curator-mutex, curator-rw. Calls for it are refused.',
      expect.stringMatching(
        /^key "mixed" No session owns the node _c_\S+-lock-2000000000 of another/,
      ),
      'key "mixed" The sequence counter of its directory is at 2000000000. At 2147483647, all calls are refused.',
      'key "other" Its nodes have the dialect kazoo, but the configured dialect is curator-rw.',
      expect.stringMatching(
        /^key "other" No session owns the node 0+__lock__0000000007 of another/,
      ),
    ]);
    for (const { remedy } of problemsIn(result)) expect(remedy).toMatch(/\w/);
  });

  it('examines all keys, whatever other programs have stored under the name of its own lock', async () => {
    const root = ownRoot();
    const inspector = await openInspector();
    for (const path of [
      '',
      '/zk-lock-doctor',
      '/zk-lock-doctor/note',
      '/foreign',
      '/foreign/note',
    ]) {
      await inspector.create(`${root}${path}`);
    }
    const result = await runCli(['doctor', '--json'], { ZK_LOCK_ROOT: root });
    await inspector.deleteTree(root);
    const found = problemsIn(result).map(({ about }) => about);
    expect(found.sort()).toEqual(['key "foreign"', 'key "zk-lock-doctor"']);
  });

  it('exits with 1 for a problem even if its reader has gone', async () => {
    const cli = startCli(['doctor'], { ZK_CONNECT: '127.0.0.1:1', ZK_LOCK_CONNECT_TIMEOUT: '1s' });
    cli.stopReading();
    expect(await cli.exit()).toBe(1);
  });

  it('reports a wrong password, which ZooKeeper itself does not report', async () => {
    const root = ownRoot('billing:right');
    const notes = notesFolder();
    const locks = await openLocks({
      ...{ root, credentials: { username: 'billing', password: 'right' }, tickTimeMs: 500 },
    });
    // While this lock is held, the root is not empty and remains.
    const held = await locks.acquire('kept');
    const results = await Promise.all(
      ['right', 'wrong'].map(async (password) => {
        writeFileSync(notes.path(password), `${password}\n`);
        const environment = {
          ...{ ZK_LOCK_ROOT: root, ZK_LOCK_USER: 'billing' },
          ZK_LOCK_PASSWORD_FILE: notes.path(password),
        };
        const tried = await runCli(['run', 'order:1', '--', 'true'], environment);
        return { tried, examined: await runCli(['doctor', '--json'], environment) };
      }),
    );
    const [right, wrong] = results.map(({ tried, examined }) => ({
      ...{ tried: tried.code, examined: examined.code, problems: problemsIn(examined) },
    }));
    await held.release();
    expect(right).toEqual({ tried: 0, examined: 0, problems: [] });
    expect(wrong).toMatchObject({
      ...{ tried: 77, examined: 1 },
      problems: [{ about: 'access', remedy: expect.stringContaining('--password-file') as string }],
    });
  });
});
