/** Makes the package-lock.json of an application elsewhere from that of this repository. */
import { join } from 'node:path';
import { readJson, root, run } from './libraries.mjs';

const NEST_11 = 'test/compat/nest11/';

/**
 * With it, npm does not ask a registry for versions, and takes the tarballs from its cache, where `npm ci`
 * has put them. npm itself omits what the application does not need.
 */
export function consumerLock(manifest, nest) {
  const { packages } = readJson(join(root, 'package-lock.json'));
  const registry = run('npm', ['config', 'get', 'registry']).trim().replace(/\/*$/, '/');
  const installed = new Map();
  add(installed, packages, '', registry);
  if (nest === '11') add(installed, packages, NEST_11, registry);
  return {
    name: manifest.name,
    lockfileVersion: 3,
    requires: true,
    packages: { '': manifest, ...Object.fromEntries(installed) },
  };
}

/**
 * Adds what is installed in a folder, as if that were the root, without the flags `dev` and `optional`,
 * which can differ in the application.
 */
function add(installed, packages, folder, registry) {
  const prefix = `${folder}node_modules/`;
  for (const [path, entry] of Object.entries(packages)) {
    if (!path.startsWith(prefix) || entry.link) continue;
    const { dev, peer, optional, devOptional, ...kept } = entry;
    installed.set(path.slice(folder.length), {
      resolved: registry + tarballOf(path, entry),
      ...kept,
    });
  }
}

/**
 * The path of the package's tarball in a registry. Without it, npm would ask for all versions of the
 * package.
 */
function tarballOf(path, { name = path.split('node_modules/').at(-1), version }) {
  return `${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
}

/** The version of a package in this repository, which the application also uses. */
export function versionOf(name, nest) {
  const { packages } = readJson(join(root, 'package-lock.json'));
  const beside11 = nest === '11' ? packages[`${NEST_11}node_modules/${name}`] : undefined;
  return (beside11 ?? packages[`node_modules/${name}`]).version;
}
