/**
 * Writes what each entry point exports into libs/<library>/api/<entry point>.md, from the built types.
 * Reviewers see changes of the public API there.
 *
 *   node scripts/api.mjs            writes the reports
 *   node scripts/api.mjs --check    fails, and names them, when they are not up to date
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import prettier from 'prettier';
import { describeEntryPoints } from './packages/api-report.mjs';
import { entryPointsOf, folderOf, libraries, manifestOf, root } from './packages/libraries.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const formatting = await prettier.resolveConfig(join(root, 'package.json'));

/** The text of each report by its path. */
async function makeReports() {
  const reports = new Map();
  for (const library of libraries.filter(isImported)) {
    const entryPoints = entryPointsOf(folderOf(library)).map(({ name, types }) => ({
      name,
      types,
      specifier: [manifestOf(library).name, ...(name === 'index' ? [] : [name])].join('/'),
    }));
    const texts = describeEntryPoints(entryPoints);
    for (const [index, { name }] of entryPoints.entries()) {
      const text = await prettier.format(inOrder(texts[index]), {
        ...formatting,
        parser: 'markdown',
      });
      reports.set(join(folderOf(library), 'api', `${name}.md`), text);
    }
  }
  return reports;
}

/** Sorts the literals of a union, whose order in the compiler's output can change with unrelated code. */
function inOrder(text) {
  const literal = /["'][^"'\n]*["']/;
  const union = new RegExp(`${literal.source}(?:\\s*\\|\\s*${literal.source})+`, 'g');
  return text.replaceAll(union, (found) =>
    found.match(new RegExp(literal, 'g')).sort().join(' | '),
  );
}

/** Whether it is imported, unlike a command. */
const isImported = (library) => entryPointsOf(folderOf(library)).length > 0;

/** Reports of entry points that no longer exist. */
function strayReports(reports) {
  return libraries
    .map((library) => join(folderOf(library), 'api'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => !reports.has(path));
}

const reports = await makeReports();
const strays = strayReports(reports);
const changed = [...reports].filter(
  ([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
);

if (values.check) {
  for (const path of [...changed.map(([path]) => path), ...strays]) {
    console.error(`${relative(root, path)} is not up to date: run "npm run api" and commit it`);
    process.exitCode = 1;
  }
} else {
  for (const path of strays) rmSync(path);
  for (const [path, text] of changed) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${relative(root, path)}`);
  }
}
