import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS, folderOf, libraries, manifestOf, root, type Manifest } from './manifests.js';

const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly engines: Manifest['engines'];
  readonly author: string;
  readonly repository: { readonly url: string };
  readonly homepage: string;
  readonly bugs: { readonly url: string };
  readonly optionalDependencies: Readonly<Record<string, string>>;
};

const site = /^git\+(https:.*)\.git$/.exec(workspace.repository.url)![1]!;

/** Includes the versions that a plain install provides. */
const NEST = '^11.0.0 || ^12.0.0';

it('the workspace names the repository, from which all packages take its address', () => {
  const { author, repository, homepage, bugs } = workspace;
  expect(author).toMatch(/./);
  expect(repository.url).toBe(`git+${site}.git`);
  expect({ homepage, bugs }).toEqual({
    homepage: `${site}#readme`,
    bugs: { url: `${site}/issues` },
  });
});

describe.each(libraries)('the manifest of libs/%s', (library) => {
  const manifest = manifestOf(library);
  const folder = folderOf(library);

  it('says what the package is, and where it comes from', () => {
    expect(manifest).toMatchObject({
      name: library,
      version: expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/) as string,
      description: expect.stringMatching(/./) as string,
      license: 'MIT',
      type: 'module',
      sideEffects: false,
      author: workspace.author,
      homepage:
        library === 'nestjs-zk-lock'
          ? workspace.homepage
          : `${site}/tree/main/libs/${library}#readme`,
      bugs: workspace.bugs,
      repository: { type: 'git', url: workspace.repository.url, directory: `libs/${library}` },
      publishConfig: { access: 'public', provenance: true },
    });
    expect(manifest.private).toBeUndefined();
    expect(manifest.engines).toEqual(workspace.engines);
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toContain('MIT License');
  });

  it('exports one CommonJS implementation to every process, and ES modules to bundlers alone', () => {
    const { './package.json': own, ...entryPoints } = manifest.exports;
    expect(own).toBe('./package.json');
    expect(Object.keys(entryPoints).includes('.')).toBe(!COMMANDS.includes(library));
    // Its server runs in a thread, whose file a bundler would not include.
    const forBundlers = library !== 'zk-embedded';
    for (const [path, target] of Object.entries(entryPoints)) {
      const file = path === '.' ? './dist/index' : `./dist/${path.slice('./'.length)}`;
      // The first matching condition applies. With separate `import` and `require`, a process could
      // load two implementations, whose classes do not recognize each other.
      expect(Object.entries(target)).toEqual([
        ['types', `${file}.d.cts`],
        ...(forBundlers ? [['module', `${file}.js`]] : []),
        ['default', `${file}.cjs`],
      ]);
      for (const built of Object.values(target)) {
        expect(existsSync(join(folder, built)), `${built}: run npm run build`).toBe(true);
      }
    }
  });

  it('has a command whose file exists before the build, so that npm can link it, and is executable', () => {
    for (const path of Object.values(manifest.bin ?? {})) {
      expect(path).not.toContain('dist');
      expect(readFileSync(join(folder, path), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  it('requires the other libraries in their current versions', () => {
    const { dependencies = {}, peerDependencies = {} } = manifest;
    for (const other of libraries.map(manifestOf)) {
      // The packages are released together and tested only with the same version.
      expect([undefined, other.version]).toContain(dependencies[other.name]);
      expect([undefined, `^${other.version}`]).toContain(peerDependencies[other.name]);
    }
  });

  it('runs no script on the machine where it is installed', () => {
    expect(Object.keys(manifest.scripts ?? {})).toEqual(
      library === 'nestjs-zk-lock' ? ['prepack'] : [],
    );
  });
});

it('expects the same npm zookeeper with Nest and without', () => {
  const [core, nest] = ['zk-locks', 'nestjs-zk-lock'].map(manifestOf);
  expect(core!.peerDependencies).toEqual({ zookeeper: nest!.peerDependencies!.zookeeper });
  expect(core!.peerDependenciesMeta).toEqual({ zookeeper: { optional: true } });
});

it('lists every library but the page, each after those that it depends on', () => {
  const folders = readdirSync(join(root, 'libs'));
  const isPublished = (folder: string) => manifestOf(folder).private !== true;
  expect([...libraries].sort()).toEqual(folders.filter(isPublished).sort());
  expect(folders.filter((folder) => !isPublished(folder))).toEqual(['lock-board-page']);
  const names = libraries.map((library) => manifestOf(library).name);
  for (const [index, library] of libraries.entries()) {
    const { dependencies = {}, peerDependencies = {} } = manifestOf(library);
    const own = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) =>
      names.includes(name),
    );
    expect(names.slice(0, index)).toEqual(expect.arrayContaining(own));
  }
});

it('releases all libraries in one version, which is in the changelog', () => {
  const versions = new Set(libraries.map((library) => manifestOf(library).version));
  expect(versions.size).toBe(1);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const headings = Array.from(changelog.matchAll(/^## (\S+)/gm), ([, heading]) => heading);
  expect(headings).toContain([...versions][0]);
});

it('SECURITY.md names each package, and how many there are', () => {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const [, count, names = ''] = /for all (\w+) packages \(([^)]+)\)/.exec(text) ?? [];
  const named = names.split(', ').map((name) => name.replaceAll('`', ''));
  expect(named.toSorted()).toEqual(libraries.toSorted());
  expect(count).toBe(['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven'][named.length]);
});

describe('what nestjs-zk-lock expects of an application', () => {
  const {
    peerDependencies = {},
    peerDependenciesMeta = {},
    ...manifest
  } = manifestOf('nestjs-zk-lock');

  it('is Nest 11 or 12', () => {
    const nest = Object.entries(peerDependencies).filter(([name]) => name.startsWith('@nestjs/'));
    expect(nest.map(([name]) => name)).toContain('@nestjs/core');
    for (const [, range] of nest) expect(range).toBe(NEST);
  });

  it('is no more than what every Nest application has; everything else is marked as optional', () => {
    const optional = Object.keys(peerDependenciesMeta);
    for (const name of optional) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(Object.keys(peerDependencies).filter((name) => !optional.includes(name))).toEqual([
      '@nestjs/common',
      '@nestjs/core',
      'reflect-metadata',
      'rxjs',
    ]);
    expect(Object.keys(peerDependencies)).toEqual(expect.arrayContaining(optional));
  });

  it('is no compiler: npm zookeeper is an optional peer, in the version that the workspace tests', () => {
    expect(peerDependenciesMeta.zookeeper).toEqual({ optional: true });
    expect(peerDependencies.zookeeper).toBe(`~${workspace.optionalDependencies.zookeeper}`);
    expect(manifest.optionalDependencies).toBeUndefined();
    expect(manifest.dependencies).toEqual({ 'zk-locks': manifest.version });
  });
});
