/** Puts README and guides where `npm pack` finds them, with links that lead somewhere from there. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './libraries.mjs';

const folder = join(root, 'libs', 'zk-lock');

const isPage = (path) => path.endsWith('.md');

/** Without the repository around it: its other packages are on npm, and some pages nowhere. */
function forPackage(page) {
  return page
    .replaceAll(/\]\((?:\.\.\/)?libs\/(zk-\w+)\)/g, '](https://www.npmjs.com/package/$1)')
    .replaceAll(/\[([^\]]+)\]\((?:\.\.\/)?(?:bench\/RESULTS|CHANGELOG)\.md\)/g, '$1');
}

cpSync(join(root, 'docs'), join(folder, 'docs'), {
  recursive: true,
  filter: (path) => !isPage(path),
});
const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
for (const page of ['README.md', ...guides.filter(isPage).map((guide) => join('docs', guide))]) {
  writeFileSync(join(folder, page), forPackage(readFileSync(join(root, page), 'utf8')));
}
