/**
 * Puts README and guides where `npm pack` finds them. Error messages link to the guides, which link to
 * each other there. All other links lead to the repository, at the tag of the version.
 */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { isAbsolute, replaceLinks } from './links.mjs';
import { folderOf, manifestOf, root, siteOf } from './libraries.mjs';

const LIBRARY = 'nestjs-zk-lock';
const folder = folderOf(LIBRARY);
const site = siteOf(manifestOf(LIBRARY));
const tag = `v${manifestOf(LIBRARY).version}`;

const CHINESE = 'README.zh-CN.md';
const PICTURES = 'docs/images';

const isPage = (path) => path.endsWith('.md');

const isPacked = (path) => path.startsWith('docs/') && !path.startsWith(PICTURES);

/** @param page its path in the repository */
function forPackage(page) {
  const text = readFileSync(join(root, page), 'utf8');
  return replaceLinks(text, (link) => {
    if (isAbsolute(link)) return link;
    const [path, anchor] = link.split('#');
    const target = posix.join(posix.dirname(page), path);
    if (isPacked(page) && isPacked(target)) return link;
    return `${site}/${viewOf(target)}/${tag}/${target}${anchor === undefined ? '' : `#${anchor}`}`;
  });
}

/** The kind of view in which the site shows a path. */
function viewOf(path) {
  if (extname(path) === '.png') return 'raw';
  return statSync(join(root, path)).isDirectory() ? 'tree' : 'blob';
}

// Pages that are gone from `docs` would stay in the package.
rmSync(join(folder, 'docs'), { recursive: true, force: true });
cpSync(join(root, 'docs'), join(folder, 'docs'), {
  recursive: true,
  filter: (path) => !isPage(path) && path !== join(root, PICTURES),
});
const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
for (const guide of guides.filter(isPage)) {
  writeFileSync(join(folder, 'docs', guide), forPackage(posix.join('docs', guide)));
}
writeFileSync(join(folder, 'README.md'), forPackage('README.md'));
// If a folder has several READMEs, npm may show any of them, so the Chinese one is among the guides.
writeFileSync(join(folder, 'docs', CHINESE), forPackage(CHINESE));
