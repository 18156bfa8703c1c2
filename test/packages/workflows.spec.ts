import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { libraries, root } from './manifests.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly needs?: string;
  readonly container?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

function readWorkflow(name: string): Workflow {
  const text = readFileSync(join(root, '.github/workflows', name), 'utf8');
  return parse(text, { strict: true, uniqueKeys: true }) as Workflow;
}

const commandsOf = ({ steps }: Job): string[] =>
  steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

describe('the CI workflow', () => {
  const { jobs, on, permissions } = readWorkflow('ci.yml');

  it('runs what everybody runs, and nothing else, on each Node that is supported', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const [oldest, ...majors] = engines.node.split(' || ');
    expect(jobs.test!.strategy!.matrix.node).toEqual([
      /\d+\.\d+/.exec(oldest!)![0],
      ...majors.map((range) => /\d+/.exec(range)![0]),
    ]);
    expect(jobs.test!.container).toBe('node:${{ matrix.node }}-bookworm');
    expect(commandsOf(jobs.test!)).toEqual(['.ci/run']);
  });

  it('may only read, also for the pull requests of strangers', () => {
    expect(Object.keys(on)).toEqual(['push', 'pull_request']);
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job.permissions).toBeUndefined();
  });
});

describe('the release workflow', () => {
  const { jobs, on, permissions } = readWorkflow('release.yml');
  const { test, publish } = jobs;

  it('is started by the tag of a version, and by nothing else', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } });
  });

  it('publishes only what has passed all that CI runs', () => {
    expect(commandsOf(test!)).toEqual(['.ci/run']);
    expect(publish!.needs).toBe('test');
  });

  it('publishes each library with provenance, after those that it depends on', () => {
    const published = commandsOf(publish!).filter((command) => command.startsWith('npm publish'));
    expect(published).toEqual(
      libraries.map((library) => `npm publish --provenance --workspace libs/${library}`),
    );
  });

  it('lets only the job that publishes sign, and runs no install script of others in it', () => {
    expect(permissions).toEqual({ contents: 'read' });
    expect(test!.permissions).toBeUndefined();
    expect(publish!.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    const installs = commandsOf(publish!).filter((command) => /^npm (ci|install)/.test(command));
    expect(installs).toEqual(['npm ci --ignore-scripts']);
  });
});
