/**
 * Runs one of the programs of this folder, which are TypeScript, with the built files.
 *
 *   node bench/run.mjs server-start
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const name = process.argv[2] ?? '';
const program = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
if (!existsSync(program)) {
  process.stderr.write(`bench: there is no "${name}" in the folder bench.\n`);
  process.exit(1);
}
await runnerImport(program);
