/**
 * Prints what the import of an entry point costs beyond its peers, as JSON: the files of ours that it
 * loads.
 *
 *   node scripts/packages/import-cost.cjs SPECIFIER [PEER …]
 */
const { readFileSync } = require('node:fs');

const [specifier, ...peers] = process.argv.slice(2);
for (const peer of peers) require(peer);
const before = new Set(Object.keys(require.cache));
require(specifier);

const files = Object.keys(require.cache).filter(
  (path) => !before.has(path) && /[\\/]libs[\\/]/.test(path),
);
const bytes = files.reduce((sum, path) => sum + readFileSync(path).length, 0);
process.stdout.write(JSON.stringify({ files: files.length, bytes }));
