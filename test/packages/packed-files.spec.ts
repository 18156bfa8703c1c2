import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { linksIn } from '../support/documentation.js';
import { folderOf, libraries, root } from './manifests.js';

const run = promisify(execFile);

/** What there is in each package besides its modules. */
const PAPERS = ['LICENSE', 'README.md', 'package.json'];

/** Modules that only specs import. */
const FOR_SPECS: Readonly<Record<string, readonly string[]>> = {
  'zk-client': ['testing/'],
  'zk-protocol': ['testing/', 'golden/'],
};

/** To these its error messages and its README lead. */
const GUIDES: readonly string[] = [
  'docs/README.zh-CN.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll(sep, '/')),
];

async function packedFiles(library: string): Promise<string[]> {
  const args = ['pack', '--dry-run', '--json', '--silent', '--workspace', `libs/${library}`];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  const [report] = JSON.parse(stdout) as { files: { path: string }[] }[];
  return report!.files.map(({ path }) => path).sort();
}

/** The modules of a library, without `.ts`, and without those that only its specs use. */
function modulesOf(library: string): string[] {
  return readdirSync(join(folderOf(library), 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .filter((path) => !(FOR_SPECS[library] ?? []).some((folder) => path.startsWith(folder)))
    .map((path) => path.slice(0, -'.ts'.length));
}

describe.each(libraries)('the package of libs/%s', (library) => {
  let packed: string[];

  beforeAll(async () => {
    packed = await packedFiles(library);
  }, 30_000);

  it('has each module, compiled and as the source that its maps name, and nothing else', () => {
    const modules = modulesOf(library).flatMap((name) => [
      `src/${name}.ts`,
      ...['.js', '.js.map', '.d.ts', '.d.ts.map'].map((ending) => `dist/${name}${ending}`),
    ]);
    // A file more in dist was left by a source that is gone: delete dist, and build again.
    const guides = library === 'zk-lock' ? GUIDES : [];
    expect(packed).toEqual([...PAPERS, ...guides, ...modules].sort());
  });

  it('has pages whose links lead to files of it, or into the web', () => {
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

  it('has these folders', async () => {
    const folders = new Set(packed.map((path) => dirname(path)));
    await expect([...folders].sort().join('\n') + '\n').toMatchFileSnapshot(
      `packed-folders/${library}.txt`,
    );
  });

  it('has maps that lead to its sources', () => {
    for (const name of modulesOf(library)) {
      for (const kind of ['.js', '.d.ts']) {
        const map = join(folderOf(library), 'dist', `${name}${kind}.map`);
        const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] };
        expect(sources.map((source) => join(dirname(map), source))).toEqual([
          join(folderOf(library), 'src', `${name}.ts`),
        ]);
      }
    }
  });
});
