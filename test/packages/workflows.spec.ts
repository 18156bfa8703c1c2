import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
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

/** A container that is one of the matrix. */
const MATRIX_IMAGE = '${{ matrix.image }}';

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

  it('runs what everybody runs, and nothing else, on each Node that is supported', () => {
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

  it('runs the packed libraries in new projects, with no install script of others', () => {
    expect(commandsOf(jobs.projects!)).toEqual([
      'npm ci --ignore-scripts',
      'npm run matrix:projects',
    ]);
  });

  it('may only read, also for the pull requests of strangers', () => {
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

  it('publishes the tarball of each library with provenance, after those that it depends on', () => {
    expect(commandsOf(pack!).at(-1)).toBe('npm pack --pack-destination tarballs ./libs/*');
    expect(actionsOf(pack!, 'actions/upload-artifact')[0]!.with?.name).toBe('tarballs');
    expect(actionsOf(publish!, 'actions/download-artifact')[0]!.with).toEqual({ name: 'tarballs' });
    expect(commandsOf(publish!)).toEqual(
      libraries.map(
        (library) =>
          `npm publish --provenance --ignore-scripts ./${manifestOf(library).name}-"\${GITHUB_REF_NAME#v}".tgz`,
      ),
    );
  });

  it('lets only the job that publishes sign, which has no code of this repository or of dependencies', () => {
    expect(permissions).toEqual({ contents: 'read' });
    expect(test!.permissions).toBeUndefined();
    expect(pack!.permissions).toBeUndefined();
    expect(publish!.permissions).toEqual({ 'id-token': 'write' });
    expect(actionsOf(publish!, 'actions/checkout')).toEqual([]);
  });

  it('runs no install script of others where it packs', () => {
    const installs = commandsOf(pack!).filter((command) => /^npm (ci|install)/.test(command));
    expect(installs).toEqual(['npm ci --ignore-scripts']);
  });
});
