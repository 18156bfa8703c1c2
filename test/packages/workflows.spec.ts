import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { libraries, manifestOf, root } from './manifests.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string;
  readonly container?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly image: readonly string[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const textOf = (name: string): string =>
  readFileSync(join(root, '.github/workflows', name), 'utf8');

function readWorkflow(name: string): Workflow {
  return parse(textOf(name), { strict: true, uniqueKeys: true }) as Workflow;
}

/** The container image that a matrix job uses. */
const MATRIX_IMAGE = '${{ matrix.image }}';

/** Runs a command as the CI runners do. */
const runCommand = (command: string, cwd: string, env: Readonly<Record<string, string>>) =>
  spawnSync('bash', ['-e', '-c', command], { cwd, env: { ...process.env, ...env } });

/**
 * A fake npm: `npm view NAME@VERSION version` prints the version, nothing, or an error that there
 * is no such package.
 */
const NPM = `#!/bin/sh
if [ "$1" = view ]; then
  case " $THERE " in
    *" $2 "*) echo "\${2##*@}" ;;
    *zk-embedded*) ;;
    *) echo E404 >&2; exit 1 ;;
  esac
else
  echo "$*" >> published
  case "$*" in *"$FAILING"*) exit 1 ;; esac
fi
`;

const actionsOf = ({ steps }: Job, action: string): Step[] =>
  steps.filter(({ uses }) => uses?.startsWith(`${action}@`));

const commandsOf = ({ steps }: Job): string[] =>
  steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

describe.each(['ci.yml', 'release.yml', 'simulation.yml'])('%s', (name) => {
  it('pins each action to a commit, and says which version that is', () => {
    const uses = textOf(name).match(/^.*\buses:.*$/gm) ?? [];
    expect(uses).not.toEqual([]);
    for (const line of uses) {
      expect(line).toMatch(/ uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('pins each container image to a digest, and says which version that is', () => {
    const jobs = Object.values(readWorkflow(name).jobs);
    const images = jobs.flatMap(({ container, strategy }) =>
      container === MATRIX_IMAGE ? strategy!.matrix.image : (container ?? []),
    );
    expect(images).not.toEqual([]);
    for (const image of images) {
      expect(image).toMatch(/^node:\d+\.\d+\.\d+-bookworm@sha256:[0-9a-f]{64}$/);
    }
  });

  it('leaves no credentials in a working copy', () => {
    const jobs = Object.values(readWorkflow(name).jobs);
    const checkouts = jobs.flatMap((job) => actionsOf(job, 'actions/checkout'));
    expect(checkouts).not.toEqual([]);
    for (const step of checkouts) expect(step.with?.['persist-credentials']).toBe(false);
  });

  it('names no package registry', () => {
    expect(textOf(name)).not.toMatch(/registry/i);
  });
});

describe('the CI workflow', () => {
  const { jobs, on, permissions } = readWorkflow('ci.yml');

  it('runs the same commands as developers, and nothing else, on each supported Node', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const [oldest, ...majors] = engines.node.split(' || ');
    const supported = [
      /\d+\.\d+/.exec(oldest!)![0],
      ...majors.map((range) => /\d+/.exec(range)![0]),
    ];
    const images = jobs.test!.strategy!.matrix.image;
    expect(images).toEqual(
      supported.map((version) => expect.stringContaining(`node:${version}.`) as string),
    );
    expect(jobs.test!.container).toBe(MATRIX_IMAGE);
    expect(commandsOf(jobs.test!)).toEqual(['.ci/run']);
  });

  it('runs the packed libraries in new projects, without install scripts of dependencies', () => {
    expect(commandsOf(jobs.projects!)).toEqual([
      'npm ci --ignore-scripts',
      'npm run matrix:projects',
    ]);
  });

  it('has read access only, even for pull requests from forks', () => {
    expect(Object.keys(on)).toEqual(['push', 'pull_request']);
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job.permissions).toBeUndefined();
  });
});

describe('the release workflow', () => {
  const { jobs, on, permissions } = readWorkflow('release.yml');
  const { test, pack, publish } = jobs;

  it('is started by the tag of a version, and by nothing else', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } });
  });

  it('publishes only what has passed all that CI runs', () => {
    expect(commandsOf(test!)).toEqual(['.ci/run']);
    expect(pack!.needs).toBe('test');
    expect(publish!.needs).toBe('pack');
  });

  it('packs only a commit of main, whose history it has, before any other command', () => {
    const [command] = commandsOf(pack!);
    expect(command).toBe('git merge-base --is-ancestor "$GITHUB_SHA" origin/main');
    expect(actionsOf(pack!, 'actions/checkout')[0]!.with?.['fetch-depth']).toBe(0);
  });

  it('packs only manifests that name the repository that it runs in', () => {
    const [check] = commandsOf(pack!).filter((command) => command.includes('repository.url'));
    const repository = (name: string) => ({
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: name,
    });
    expect(runCommand(check!, root, repository('nestjs-zk-lock/nestjs-zk-lock')).status).toBe(0);
    expect(runCommand(check!, root, repository('somewhere/else')).status).toBe(1);
    expect(commandsOf(pack!).at(-1)).toBe('npm pack --pack-destination tarballs ./libs/*zk-*');
    expect(actionsOf(pack!, 'actions/upload-artifact')[0]!.with?.name).toBe('tarballs');
  });

  const npmFlags = '--provenance --ignore-scripts';
  const published = (name: string) => `publish ${npmFlags} ./${name}-0.1.0.tgz`;

  it('publishes the tarball of each library with provenance, after those that it depends on', () => {
    expect(actionsOf(publish!, 'actions/download-artifact')[0]!.with).toEqual({ name: 'tarballs' });
    const names = libraries.map((library) => manifestOf(library).name);
    expect(publishWith([])).toEqual({ status: 0, published: names.map(published) });
  });

  it('skips versions that are already published, and stops at the first failure', () => {
    const there = ['zk-protocol', 'zk-client', 'zk-locks'];
    expect(publishWith(there).published).toEqual(
      ['zk-embedded', 'zk-lock-cli', 'nestjs-zk-lock'].map(published),
    );
    expect(publishWith(libraries)).toEqual({ status: 0, published: [] });
    const failed = publishWith(there, 'zk-embedded');
    expect(failed.status).not.toBe(0);
    expect(failed.published).toEqual([published('zk-embedded')]);
  });

  /** Runs the publishing step with a registry that has some versions, and records what it does. */
  function publishWith(there: readonly string[], failing = 'none') {
    const folder = makeTempDir('release');
    onTestFinished(() => removeTempDir(folder));
    writeFileSync(join(folder, 'npm'), NPM, { mode: 0o755 });
    writeFileSync(join(folder, 'published'), '');
    const { status } = runCommand(commandsOf(publish!).join('\n'), folder, {
      PATH: `${folder}:${process.env.PATH!}`,
      GITHUB_REF_NAME: 'v0.1.0',
      THERE: there.map((name) => `${name}@0.1.0`).join(' '),
      FAILING: failing,
    });
    const lines = readFileSync(join(folder, 'published'), 'utf8').split('\n').filter(Boolean);
    return { status, published: lines };
  }

  it('lets only the job that publishes sign, which runs no code of this repository or of dependencies', () => {
    expect(permissions).toEqual({ contents: 'read' });
    expect(test!.permissions).toBeUndefined();
    expect(pack!.permissions).toBeUndefined();
    expect(publish!.permissions).toEqual({ 'id-token': 'write' });
    expect(actionsOf(publish!, 'actions/checkout')).toEqual([]);
  });

  it('runs no install scripts of dependencies where it packs', () => {
    const installs = commandsOf(pack!).filter((command) => /^npm (ci|install)/.test(command));
    expect(installs).toEqual(['npm ci --ignore-scripts']);
  });
});
