/**
 * A plugin of Nest's command line, for all projects of `nest-cli.json`: whatever it builds, it first
 * builds the libraries and the programs as `npm run build` does, since an application runs the bundles
 * of the libraries. An application is then compiled by the same tsconfig to the same folder. Of a library
 * Nest itself compiles nothing (`tsconfig.build.json` has no files): it would write the `paths` of
 * `tsconfig.lib.json` into the declarations.
 */
'use strict';

const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '../..');

module.exports.before = () => {
  const isFirst = !existsSync(join(root, 'libs/nestjs-zk-lock/dist/index.d.cts'));
  const build = [join(root, 'scripts/build.mjs')];
  const { status } = spawnSync(process.execPath, build, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm run build failed, as it says above.');
  // Nest has read the types of the libraries already.
  if (isFirst)
    throw new Error('The libraries were not built. Now they are: run the command again.');
  return () => (file) => file;
};
