import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { linksIn } from '../support/documentation.js';
import { folderOf, libraries, manifestOf, root } from './manifests.js';

const run = promisify(execFile);

/** Files in each package besides its modules. */
const PAPERS = ['LICENSE', 'README.md', 'package.json'];

/** Files that are started as a process or a thread. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'zk-embedded': ['dist/cli.cjs', 'dist/server-worker.cjs'],
  'zk-lock-cli': ['dist/cli.cjs', 'dist/guard.cjs'],
};

/** The guides, which error messages and other guides link to. Pictures stay in the repository. */
const GUIDES: readonly string[] = [
  'docs/README.zh-CN.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll(sep, '/'))
    .filter((path) => !path.startsWith('docs/images/')),
];

/** The address of the repository, as given in its manifest. */
const site = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { homepage: string }
).homepage.replace('#readme', '');

/** The files of each package by its name. Packs all at once, because starting npm is slow. */
async function packAll(): Promise<ReadonlyMap<string, readonly string[]>> {
  const workspaces = libraries.flatMap((library) => ['--workspace', `libs/${library}`]);
  const args = ['pack', '--dry-run', '--json', '--silent', ...workspaces];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  const reports = JSON.parse(stdout) as { name: string; files: { path: string }[] }[];
  return new Map(reports.map(({ name, files }) => [name, files.map(({ path }) => path).sort()]));
}

const packages = await packAll();

/** The files that `nest add nestjs-zk-lock` runs. */
const SCHEMATICS: readonly string[] = [
  'collection.json',
  'nest-add.cjs',
  'nest-add.schema.json',
].map((name) => `schematics/${name}`);

/** The files that the lock board serves, and the licences of the packages bundled in them. */
const BOARD: readonly string[] = ['board.css', 'board.js', 'index.html', 'licenses.txt'].map(
  (name) => `dist/board/${name}`,
);

/** The files that the manifest refers to. */
function namedFiles(library: string): string[] {
  const { exports, bin = {} } = manifestOf(library);
  const targets = Object.values(exports).filter((target) => typeof target === 'object');
  const paths = [...targets.flatMap((target) => Object.values(target)), ...Object.values(bin)];
  return paths.map((path) => path.slice('./'.length));
}

describe.each(libraries)('the package of libs/%s', (library) => {
  const packed = packages.get(library) ?? [];

  it('has its documents, the files that its manifest names, and the chunks that these share, but no sources or maps', () => {
    const guides = library === 'nestjs-zk-lock' ? [...GUIDES, ...SCHEMATICS, ...BOARD] : [];
    const named = [...PAPERS, ...guides, ...namedFiles(library), ...(PROGRAMS[library] ?? [])];
    expect(packed).toEqual(expect.arrayContaining(named));
    const others = packed.filter((path) => !named.includes(path));
    expect(others.filter((path) => !/^dist\/shared-[\w.-]+\.(cjs|js|d\.cts)$/.test(path))).toEqual(
      [],
    );
  });

  it('has a README whose links and pictures lead to the tag of its version', () => {
    const links = linksIn(readFileSync(join(folderOf(library), 'README.md'), 'utf8'));
    const others = links.filter((link) => !/^(https:\/\/|#)/.test(link));
    expect(others).toEqual([]);
    const own = links.filter((link) => link.startsWith(site));
    const pinned = new RegExp(`^${site}/(blob|tree|raw)/v${manifestOf(library).version}/`);
    expect(own.filter((link) => !pinned.test(link))).toEqual([]);
    expect(own.length > 0).toBe(library === 'nestjs-zk-lock');
  });

  it('has pages whose links lead to its own files, or to the web', () => {
    const isThere = (path: string): boolean =>
      packed.some((file) => file === path || file.startsWith(`${path}/`));
    for (const page of packed.filter((path) => path.endsWith('.md'))) {
      const links = linksIn(readFileSync(join(folderOf(library), page), 'utf8'))
        .map((link) => link.replace(/#.*/, ''))
        .filter((link) => link !== '' && !/^[a-z]+:/.test(link));
      const lost = links.filter((link) => !isThere(join(dirname(page), link)));
      expect(lost, page).toEqual([]);
    }
  });
});
