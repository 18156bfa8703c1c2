/** Checks that each package's README works on a site that has no other file of the package. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAbsolute, linksIn } from './links.mjs';
import { packLibraries, run } from './libraries.mjs';

const PICTURE = /\.(png|svg|jpe?g|gif|webp)$/;

/** Prints the problems of the packages as they would be published. */
export function checkReadmes() {
  const folder = mkdtempSync(join(tmpdir(), 'readmes-'));
  try {
    const reports = packLibraries('--pack-destination', folder);
    const problems = reports.flatMap((report) => problemsOf(folder, report));
    for (const problem of problems) console.error(`FAILED: ${problem}`);
    return problems.length === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function problemsOf(folder, { name, filename, files }) {
  const readme = run('tar', ['-xOf', join(folder, filename), 'package/README.md']);
  const relative = linksIn(readme).filter((link) => !isAbsolute(link));
  const pictures = files.map(({ path }) => path).filter((path) => PICTURE.test(path));
  console.log(`${name}: ${linksIn(readme).length} links in its README`);
  return [
    ...relative.map((link) => `the README of ${name} has the relative link ${link}`),
    ...pictures.map((path) => `${name} has the picture ${path}`),
  ];
}
