/**
 * Prints the size of the sources: lines, layers, exported names, and what one call enters.
 *
 *   npm run build && node scripts/goals.mjs
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { folderOf, root, run } from './packages/libraries.mjs';

const LIBRARIES = ['zk-client', 'zk-locks', 'nestjs-zk-lock'];

const filesIn = (...folders) =>
  run('git', ['ls-files', ...folders])
    .split('\n')
    .filter(Boolean);
const sourcesIn = (folder) =>
  filesIn(`libs/${folder}`).filter((path) => /(?<!\.spec|\.d)\.ts$/.test(path));
const read = (path) => readFileSync(join(root, path), 'utf8');
const sum = (paths, count) => paths.reduce((total, path) => total + count(path), 0);

const linesOf = (path) => read(path).split('\n').length - 1;

/** The number of lines with code: without comments and blank lines. */
function codeLinesOf(path) {
  const source = parse(path);
  const lines = new Set();
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    for (const child of children) visit(child);
    if (children.length > 0 || node.getWidth(source) === 0) return;
    const line = (position) => source.getLineAndCharacterOfPosition(position).line;
    const last = line(node.getEnd());
    for (let each = line(node.getStart(source)); each <= last; each++) lines.add(each);
  };
  visit(source);
  return lines.size;
}

const parse = (path) => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);

/** The number of loops without a condition that await something in each turn. */
function endlessLoopsIn(path) {
  let count = 0;
  const visit = (node) => {
    const isEndless =
      (ts.isForStatement(node) && !node.condition) ||
      (ts.isWhileStatement(node) && node.expression.kind === ts.SyntaxKind.TrueKeyword);
    if (isEndless && /\bawait\b/.test(node.statement.getText())) count++;
    ts.forEachChild(node, visit);
  };
  visit(parse(path));
  return count;
}

/** The modules of a library (its folders, and the files at its root), each with those that it imports. */
function modulesOf(library) {
  const src = join(folderOf(library), 'src');
  const moduleOf = (path) =>
    relative(src, path)
      .split('/')[0]
      .replace(/\.[jt]s$/, '');
  const modules = new Map();
  for (const path of sourcesIn(`${library}/src`)) {
    const file = join(root, path);
    const module = moduleOf(file);
    const imported = modules.get(module) ?? new Set();
    modules.set(module, imported);
    for (const { fileName } of ts.preProcessFile(read(path)).importedFiles) {
      const other = moduleOf(join(dirname(file), fileName));
      if (fileName.startsWith('.') && other !== module) imported.add(other);
    }
  }
  return modules;
}

/** A module is in the layer above all that it imports. If there is a cycle, an import goes upward. */
function layersOf(library) {
  const modules = modulesOf(library);
  let layers = 0;
  let upwardImports = 0;
  while (modules.size > 0) {
    const open = ([, imported]) => [...imported].filter((other) => modules.has(other)).length;
    let next = [...modules].filter((module) => open(module) === 0);
    if (next.length === 0) {
      next = [[...modules].sort((one, other) => open(one) - open(other))[0]];
      upwardImports += open(next[0]);
    }
    for (const [name] of next) modules.delete(name);
    layers++;
  }
  return `${layers}, ${upwardImports}`;
}

const exportedNames = read('libs/nestjs-zk-lock/api/index.md')
  .split('\n## Not exported')[0]
  .match(/^### /gm).length;
const call = run(process.execPath, ['scripts/call-path.mjs']).trimEnd().split('\n').at(-1);
const [locks, client] = ['zk-locks', 'zk-client'].map(sourcesIn);

console.table([
  ...LIBRARIES.map((library) => [
    `lines of code, all lines: ${library}`,
    `${sum(sourcesIn(library), codeLinesOf)}, ${sum(sourcesIn(library), linesOf)}`,
  ]),
  ['zk-locks/src/queue, all lines', sum(sourcesIn('zk-locks/src/queue'), linesOf)],
  ['one call of a @Locked method', call],
  [
    'endless loops that wait: zk-locks, zk-client',
    `${sum(locks, endlessLoopsIn)}, ${sum(client, endlessLoopsIn)}`,
  ],
  ...LIBRARIES.map((library) => [`layers, upward imports: ${library}`, layersOf(library)]),
  ['names in the main entry of nestjs-zk-lock', exportedNames],
  [
    'test/, lines of programs',
    sum(
      filesIn('test').filter((path) => /\.(m?[jt]s|cjs|java|py|sh)$/.test(path)),
      linesOf,
    ),
  ],
]);
