/**
 * Builds everything that is run: the libraries as they are published, and then the programs that import
 * them. What is up to date is left unchanged.
 */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { bundle, replaceFiles } from './packages/bundle.mjs';
import { entryPointsOf, folderOf, libraries, manifestOf, root } from './packages/libraries.mjs';
import { bundlePage } from './packages/page.mjs';

const host = ts.createSolutionBuilderHost(
  { ...ts.sys, getCurrentDirectory: () => root },
  undefined,
  report,
  report,
);
const builder = ts.createSolutionBuilder(host, [join(root, 'tsconfig.build.json')], {});

const formatHost = {
  getCurrentDirectory: () => root,
  getCanonicalFileName: (path) => path,
  getNewLine: () => '\n',
};

/** @param project a tsconfig, which is built with all its references; if omitted, everything is built */
function compile(project) {
  const status = builder.build(project);
  if (status !== ts.ExitStatus.Success) process.exit(status);
}

function report(diagnostic) {
  console.error(ts.formatDiagnosticsWithColorAndContext([diagnostic], formatHost));
}

/** Whether importers find the library: not if it was just added or renamed. A command has no importers. */
function isLinked(library) {
  if (entryPointsOf(folderOf(library)).length === 0) return true;
  const link = join(root, 'node_modules', manifestOf(library).name);
  return existsSync(link) && realpathSync(link) === realpathSync(folderOf(library));
}

if (!libraries.every(isLinked)) {
  console.error('The libraries in node_modules are not those of libs/: run "npm install".');
  process.exit(1);
}
const folders = libraries.map(folderOf);
for (const folder of folders) compile(join(folder, 'tsconfig.lib.json'));
await Promise.all(folders.map(bundle));
compile();
const page = await bundlePage(join(root, 'apps/demo/page'), 'stage');
const files = new Map(page.map(({ fileName, code }) => [fileName, code]));
replaceFiles(join(root, 'apps/demo/dist/page'), files);
