/** The package-lock.json of an application elsewhere, made of this repository's. */
import { join } from 'node:path';
import { readJson, root, run } from './libraries.mjs';

const NEST_11 = 'test/compat/nest11/';

/**
 * With it, npm asks no registry what versions there are, and takes the tarballs from its cache, where
 * `npm ci` has put them. What the application does not need, npm leaves out itself.
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
 * What is installed in a folder, as if that were the root. Whether it is there for development, or
 * optional, is another matter in the application.
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
 * Where a registry has the package. Without this address, npm would ask for all the versions that
 * there are.
 */
function tarballOf(path, { name = path.split('node_modules/').at(-1), version }) {
  return `${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
}

/** The version of a package in this repository, for the application to want. */
export function versionOf(name, nest) {
  const { packages } = readJson(join(root, 'package-lock.json'));
  const beside11 = nest === '11' ? packages[`${NEST_11}node_modules/${name}`] : undefined;
  return (beside11 ?? packages[`node_modules/${name}`]).version;
}
