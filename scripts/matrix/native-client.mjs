import { cpSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';
import { npm, output, root } from './commands.mjs';

const { resolve } = createRequire(join(root, 'libs/nestjs-zk-lock/package.json'));

/** The files that `npm install` has built; all others were published. */
const compiled = new Set(['build', 'deps/zookeeper-client-c']);

/**
 * The environment in which npm `zookeeper` loads on a Node. If the package was compiled for another Node,
 * a copy of it is compiled in `cache`: an interrupted run must not leave the
 * repository with a package that its own Node cannot load.
 */
export function nativeClientFor(node, cache) {
  if (loads(node, {})) return {};
  const { version } = createRequire(import.meta.url)(resolve('zookeeper/package.json'));
  const abi = output(node, ['-p', 'process.versions.modules']);
  const copy = join(cache, `zookeeper-${version}-abi${abi}`);
  // The package looks for its compiled part by node-gyp-build, which prefers this folder.
  const env = { ZOOKEEPER_PREBUILD: copy };
  if (loads(node, env)) return env;
  console.log(`matrix: compiling npm zookeeper in ${copy}`);
  copyPackage(dirname(resolve('zookeeper/package.json')), copy);
  npm(copy, ['run', 'install'], compilerEnv(node));
  if (loads(node, env)) return env;
  throw new Error(`npm zookeeper could not be compiled for ${node} in ${copy}.`);
}

function loads(node, env) {
  const load = `require(${JSON.stringify(resolve('zookeeper'))})`;
  return output(node, ['-e', load], env) !== undefined;
}

function copyPackage(source, copy) {
  rmSync(copy, { recursive: true, force: true });
  cpSync(source, copy, {
    recursive: true,
    filter: (path) => !compiled.has(relative(source, path)),
  });
}

function compilerEnv(node) {
  const prefix = dirname(dirname(node));
  const env = { PATH: [dirname(node), process.env.PATH].join(delimiter) };
  // Headers that came with this Node; without them node-gyp downloads some.
  if (existsSync(join(prefix, 'include/node/node_api.h'))) env.npm_config_nodedir = prefix;
  return env;
}
