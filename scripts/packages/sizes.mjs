/** Limits the sizes of the packages, and of what an application loads by importing nestjs-zk-lock. */
import { join } from 'node:path';
import {
  entryPointsOf,
  folderOf,
  libraries,
  manifestOf,
  packLibraries,
  root,
  run,
} from './libraries.mjs';

const LIBRARY = 'nestjs-zk-lock';
const MAX_UNPACKED_KB = 1_500;
/** The maximum that an import may load. The time that it takes depends on this, and on the machine. */
const MAX_LOADED_KB = 630;
/** The packages that the library adds to an application, including itself. */
const PACKAGES = [LIBRARY, 'zk-client', 'zk-locks', 'zk-protocol'];

/** Packages that an application has anyway. */
const NEST = ['reflect-metadata', '@nestjs/common', '@nestjs/core', 'rxjs'];
const PEERS = {
  index: [],
  events: [],
  znodes: [],
  inspect: [],
  health: ['@nestjs/terminus'],
  board: [],
  testing: ['@nestjs/testing'],
  prometheus: ['prom-client'],
  opentelemetry: ['@opentelemetry/api'],
};

/** Prints all sizes, and names those that exceed their limits. */
export function checkSizes() {
  const problems = [...checkPacked(), ...checkDependencies(), ...checkImports()];
  for (const problem of problems) console.error(`FAILED: ${problem}`);
  return problems.length === 0;
}

function checkPacked() {
  return packLibraries('--dry-run').flatMap(({ name, size, unpackedSize, entryCount }) => {
    const unpacked = kilobytes(unpackedSize);
    console.log(
      `${name}: ${kilobytes(size)} kB packed, ${unpacked} kB unpacked, ${entryCount} files`,
    );
    const isTooLarge = name === LIBRARY && unpacked > MAX_UNPACKED_KB;
    return isTooLarge ? [`${name} unpacked is larger than ${MAX_UNPACKED_KB} kB`] : [];
  });
}

function checkDependencies() {
  const installed = new Set([LIBRARY]);
  for (const name of installed) {
    const library = libraries.find((candidate) => manifestOf(candidate).name === name);
    const { dependencies, optionalDependencies } = library ? manifestOf(library) : {};
    const wanted = { ...dependencies, ...optionalDependencies };
    for (const dependency of Object.keys(wanted)) installed.add(dependency);
  }
  console.log(`${LIBRARY} installs ${[...installed].join(', ')}`);
  const isKept = [...installed].sort().join() === PACKAGES.join();
  return isKept ? [] : [`${LIBRARY} installs other packages than ${PACKAGES.join(', ')}`];
}

function checkImports() {
  return entryPointsOf(folderOf(LIBRARY)).flatMap(({ name }) => {
    const specifier = name === 'index' ? LIBRARY : `${LIBRARY}/${name}`;
    const { files, bytes } = importCost(specifier, PEERS[name]);
    const loadedKb = kilobytes(bytes);
    console.log(`import of ${specifier}: ${files} files of ours, ${loadedKb} kB beyond its peers`);
    const isTooLarge = loadedKb > MAX_LOADED_KB;
    return isTooLarge ? [`the import of ${specifier} loads more than ${MAX_LOADED_KB} kB`] : [];
  });
}

function importCost(specifier, peers) {
  const program = join(root, 'scripts/packages/import-cost.cjs');
  const options = { shell: false };
  return JSON.parse(run(process.execPath, [program, specifier, ...NEST, ...peers], options));
}

const kilobytes = (bytes) => Math.ceil(bytes / 1_000);
