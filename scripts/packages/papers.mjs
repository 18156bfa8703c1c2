/** Puts READMEs and guides where `npm pack` finds them, with links that lead somewhere from there. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './libraries.mjs';

const folder = join(root, 'libs', 'nestjs-zk-lock');

const CHINESE = 'README.zh-CN.md';

const isPage = (path) => path.endsWith('.md');

const read = (page) => readFileSync(join(root, page), 'utf8');

/** Without the repository around it: its other packages are on npm, and some pages nowhere. */
function forPackage(page) {
  return page
    .replaceAll(/\]\((?:\.\.\/)?libs\/(zk-[\w-]+)\)/g, '](https://www.npmjs.com/package/$1)')
    .replaceAll(
      /\[([^\]]+)\]\((?:\.\.\/)*(?:(?:bench|test\/\w+)\/RESULTS|CHANGELOG|CONTRIBUTING)\.md\)/g,
      '$1',
    )
    .replaceAll(`](../../${CHINESE}`, `](../${CHINESE}`);
}

// Pages that are gone from `docs` would stay in the package.
rmSync(join(folder, 'docs'), { recursive: true, force: true });
cpSync(join(root, 'docs'), join(folder, 'docs'), {
  recursive: true,
  filter: (path) => !isPage(path),
});
const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
for (const guide of guides.filter(isPage)) {
  writeFileSync(join(folder, 'docs', guide), forPackage(read(join('docs', guide))));
}
// Of several READMEs in one folder, npm may show any. So the Chinese one is among the guides.
writeFileSync(
  join(folder, 'README.md'),
  forPackage(read('README.md')).replace(`](${CHINESE})`, `](docs/${CHINESE})`),
);
writeFileSync(
  join(folder, 'docs', CHINESE),
  forPackage(read(CHINESE))
    .replaceAll('](docs/', '](')
    .replaceAll(/\]\((README\.md|LICENSE)\)/g, '](../$1)'),
);
