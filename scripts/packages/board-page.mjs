/** Bundles the page of the lock board, `libs/lock-board-page`, with all packages that it imports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { folderOf, readJson, root } from './libraries.mjs';

const MAX_GZIPPED_KB = 40;
const page = join(folderOf('lock-board-page'), 'src');

/** The files below `dist` of the library that serves it, as `{ fileName, code }`. */
export async function bundleBoardPage() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { board: join(page, 'main.ts'), 'board.css': join(page, 'board.css') },
    outdir: '/',
    write: false,
    bundle: true,
    format: 'esm',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
    minify: true,
    legalComments: 'none',
    metafile: true,
  });
  const licences = licencesOf(metafile);
  const notice = `/*! ${licences.map(({ title }) => title).join(', ')}: licenses.txt */\n`;
  const files = [
    { fileName: 'index.html', code: readFileSync(join(page, 'index.html'), 'utf8') },
    ...outputFiles.map(({ path, text }) => ({
      fileName: path.slice(1).replace('.css.css', '.css'),
      code: path.endsWith('.js') ? notice + text : text,
    })),
  ];
  checkSize(files);
  const texts = licences.map(({ title, text }) => `${title}\n\n${text}`);
  files.push({ fileName: 'licenses.txt', code: texts.join(`\n${'-'.repeat(80)}\n\n`) });
  return files.map(({ fileName, code }) => ({ fileName: `board/${fileName}`, code }));
}

/** The licences of the bundled packages. */
function licencesOf({ inputs }) {
  const names = Object.keys(inputs).map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1],
  );
  return [...new Set(names.filter((name) => name !== undefined))].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = readJson(join(folder, 'package.json'));
    const text = readFileSync(join(folder, 'LICENSE'), 'utf8');
    return { title: `${name} ${version} (${license})`, text };
  });
}

function checkSize(files) {
  const bytes = files.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
  if (bytes <= MAX_GZIPPED_KB * 1_024) return;
  throw new Error(
    `The lock board's page is ${Math.ceil(bytes / 1_024)} KB gzipped; it may be ${MAX_GZIPPED_KB} KB.`,
  );
}
