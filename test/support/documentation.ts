import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The code blocks of a page, in order. */
export function codeIn(page: URL): string[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```\w+\n(.*?)^```$/gms);
  return Array.from(blocks, ([, code]) => code ?? '');
}

/** The files of a folder, whatever their language. */
export function sourcesIn(folder: URL): string[] {
  const path = fileURLToPath(folder);
  return readdirSync(path).map((name) => readFileSync(`${path}/${name}`, 'utf8'));
}
