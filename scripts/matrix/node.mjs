import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { npm, output } from './commands.mjs';

const printPath = ['-p', 'process.execPath'];

/** Places where a major version of Node may be, the cheapest first. */
const places = [
  (major) => (process.versions.node.startsWith(`${major}.`) ? process.execPath : undefined),
  (major) => output(`node${major}`, printPath),
  (major) => output('fnm', ['exec', `--using=${major}`, 'node', ...printPath]),
  (major) =>
    output('bash', [
      '-c',
      `. "${process.env.NVM_DIR ?? join(homedir(), '.nvm')}/nvm.sh" && nvm exec --silent ${major} node -p process.execPath`,
    ]),
  installNode,
];

/** The path of a Node of that major version, downloaded to `cache` if it is not installed. */
export function findNode(major, cache) {
  for (const place of places) {
    const path = place(major, cache);
    if (path && isNode(path, major)) return path;
  }
  throw new Error(
    `Node ${major} is missing: put node${major} on the PATH, or install it by fnm or nvm.`,
  );
}

export function versionOf(node) {
  return output(node, ['-p', 'process.versions.node']);
}

const isNode = (path, major) => versionOf(path)?.startsWith(`${major}.`) ?? false;

/** The package that npm `node` would choose; its own choice is made by an install script. */
function installNode(major, cache) {
  const { platform, arch } = process;
  const name = `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${arch}`;
  const prefix = join(cache, `node${major}`);
  const path = join(prefix, 'node_modules', name, 'bin/node');
  if (isNode(path, major)) return path;
  console.log(`matrix: installing ${name}@${major} in ${prefix}`);
  rmSync(prefix, { recursive: true, force: true });
  mkdirSync(prefix, { recursive: true });
  npm(prefix, ['install', '--no-save', '--ignore-scripts', `${name}@${major}`]);
  return path;
}
