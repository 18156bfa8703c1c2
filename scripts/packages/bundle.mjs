/**
 * Bundles a library for publication: its code by rolldown from `src`, and its types by rollup from the
 * declarations that tsc has put into `build`.
 *
 * Every process gets the one CommonJS implementation, however it loads the package. A second one beside
 * it would have other classes, which Nest could not inject and `instanceof` would not know. Only
 * bundlers, which take one of the two for all imports, reach the ES modules.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { bundleBoardPage } from './board-page.mjs';
import { entryPointsOf, folderOf, readJson } from './libraries.mjs';

/** All packages are loaded at run time, except `@oxc-project/runtime`, which belongs to the compiler. */
const isExternal = (id) => /^[^./\0]/.test(id) && !id.startsWith('@oxc-project/');

/** Makes `dist` in the folder of a library. */
export async function bundle(folder) {
  const code = await bundleCode(folder);
  const types = await bundleTypes(folder, code);
  const page = folder === folderOf('nestjs-zk-lock') ? await bundleBoardPage() : [];
  replaceFiles(join(folder, 'dist'), new Map([...code, ...types, ...page].map(contentOf)));
}

/** The files of `dist` that are run, as rolldown describes them. */
export async function bundleCode(folder, plugins = []) {
  const { exports, version } = readJson(join(folder, 'package.json'));
  const forBundlers = exports['.']?.module !== undefined;
  const build = await rolldown({
    cwd: folder,
    input: inputOf([...entryPointsOf(folder), ...programsOf(folder)], 'source'),
    platform: 'node',
    tsconfig: join(folder, 'tsconfig.lib.json'),
    transform: { target: 'es2022', define: { PACKAGE_VERSION: JSON.stringify(version) } },
    external: isExternal,
    plugins,
  });
  const outputs = [await build.generate(formatted('cjs', 'cjs'))];
  if (forBundlers) outputs.push(await build.generate(formatted('esm', 'js')));
  await build.close();
  return outputs.flatMap(({ output }) => output);
}

const formatted = (format, extension) => ({
  format,
  exports: 'named',
  // Errors and providers are named after their classes.
  keepNames: true,
  // Jest runs no `import()` without a flag of Node.
  dynamicImportInCjs: false,
  // The types have the docstrings.
  comments: { annotation: true, jsdoc: false, legal: false },
  entryFileNames: `[name].${extension}`,
  chunkFileNames: `shared-[name].${extension}`,
});

async function bundleTypes(folder, code) {
  // A command has no types.
  if (entryPointsOf(folder).length === 0) return [];
  const build = await rollup({
    input: inputOf(entryPointsOf(folder), 'types'),
    external: isExternal,
    plugins: [dts()],
    // Callers cannot name what is not exported, and do not need to.
    onLog: (level, log, report) => {
      if (!log.message.includes('still references private shared type')) report(level, log);
    },
  });
  const { output } = await build.generate({
    format: 'es',
    entryFileNames: '[name].d.cts',
    chunkFileNames: ({ name }) => `shared-${basename(name, '.d')}.d.cts`,
  });
  await build.close();
  return output.map(({ fileName, code: text, ...chunk }) => {
    const { exports } = code.find((file) => file.fileName === `${chunk.name}.cjs`) ?? {};
    return { fileName, code: chunk.isEntry ? markTypes(text, exports) : text };
  });
}

/** Restores `type` in exports of types only, which the plugin drops for classes and other packages' exports. */
function markTypes(text, values) {
  const mark = (item) => (values.includes(item.split(' ').at(-1)) ? item : `type ${item}`);
  return text.replaceAll(
    /^export \{ (.+?) \}/gm,
    (_, items) => `export { ${items.split(', ').map(mark).join(', ')} }`,
  );
}

/** The files of a library that are started rather than imported. */
const programsOf = (folder) =>
  ['cli', 'guard', 'thread/server-worker']
    .map((name) => ({ name: basename(name), source: join(folder, 'src', `${name}.ts`) }))
    .filter(({ source }) => existsSync(source));

/** The input option of rolldown and rollup. */
const inputOf = (modules, file) =>
  Object.fromEntries(modules.map((module) => [module.name, module[file]]));

const contentOf = ({ fileName, code }) => [fileName, code];

/** Writes only changed files, because running processes load some files late. */
export function replaceFiles(folder, contents) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder, { recursive: true })) {
    const prefix = `${name.replaceAll(sep, '/')}/`;
    const isKept = [...contents.keys()].some((path) => `${path}/`.startsWith(prefix));
    if (!isKept) rmSync(join(folder, name), { recursive: true, force: true });
  }
  for (const [name, content] of contents) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path) || readFileSync(path, 'utf8') !== content) writeFileSync(path, content);
  }
}
