/** How large the packages are, and what an application loads by importing nestjs-zk-lock. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { entryPointsOf, libraries, manifestOf, packLibraries } from './libraries.mjs';

export function printSizes() {
  for (const { name, size, unpackedSize, entryCount } of packLibraries('--dry-run')) {
    console.log(
      `${name}: ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked, ${entryCount} files`,
    );
  }
  for (const { name, code } of entryPointsOf('zk-lock')) {
    const texts = importGraph(code).map((path) => readFileSync(path));
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    const gzipped = gzipSync(Buffer.concat(texts)).length;
    console.log(
      `import of nestjs-zk-lock, ${name}: ${texts.length} modules of ours, ${kilobytes(bytes)}, ${kilobytes(gzipped)} by gzip`,
    );
  }
}

const kilobytes = (bytes) => `${(bytes / 1_000).toFixed(1)} kB`;

/** The modules of our libraries that are loaded with this one. */
function importGraph(entry) {
  const seen = new Set([entry]);
  for (const path of seen) {
    const code = readFileSync(path, 'utf8');
    for (const { fileName } of ts.preProcessFile(code, true, true).importedFiles) {
      const target = resolveOurs(fileName, path);
      if (target !== undefined && !isDynamic(code, fileName)) seen.add(target);
    }
  }
  return [...seen];
}

const isDynamic = (code, specifier) => code.includes(`import('${specifier}')`);

function resolveOurs(specifier, importer) {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier);
  const library = libraries.find((candidate) => manifestOf(candidate).name === specifier);
  return library && entryPointsOf(library).find(({ name }) => name === 'index').code;
}
