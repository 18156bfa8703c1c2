/** Bundles a page for browsers, with all packages that it imports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { readJson, root } from './libraries.mjs';

/**
 * @param folder has `index.html`, `main.ts` and `NAME.css`
 * @param name of the script and the styles
 * @returns its files, as `{ fileName, code }`; `licenses.txt` is the last one
 */
export async function bundlePage(folder, name) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { [name]: join(folder, 'main.ts'), [`${name}.css`]: join(folder, `${name}.css`) },
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
  const texts = licences.map(({ title, text }) => `${title}\n\n${text}`);
  return [
    { fileName: 'index.html', code: readFileSync(join(folder, 'index.html'), 'utf8') },
    ...outputFiles.map(({ path, text }) => ({
      fileName: path.slice(1).replace('.css.css', '.css'),
      code: path.endsWith('.js') ? notice + text : text,
    })),
    { fileName: 'licenses.txt', code: texts.join(`\n${'-'.repeat(80)}\n\n`) },
  ];
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
