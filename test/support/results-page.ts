import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

/** The results of one run of a program, written to a page that the documentation links to. */
export interface ResultsPage {
  /** The file of the page, next to the program. */
  readonly file: URL;
  /** The npm script, such as `soak`. */
  readonly script: string;
  /** The method and the results in Markdown. */
  readonly parts: readonly string[];
}

const root = new URL('../../', import.meta.url);

/** Writes the page, with the command and the machine of this run. */
export async function writeResults({ file, script, parts }: ResultsPage): Promise<void> {
  const command = `npm run ${script} -- ${process.argv.slice(2).join(' ')}`;
  const page = [
    `# Results of \`npm run ${script}\``,
    `Made by \`${command}\`. ${conditions()}`,
    ...parts,
  ].join('\n\n');
  const path = fileURLToPath(file);
  const style = await resolveConfig(path);
  writeFileSync(path, await format(page, { ...style, parser: 'markdown' }));
}

function conditions(): string {
  const date = new Date().toISOString().slice(0, 10);
  const manifest = readFileSync(new URL('libs/nestjs-zk-lock/package.json', root), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const load = (loadavg()[2] ?? 0).toFixed(1);
  return `${date}, nestjs-zk-lock ${version}, Node ${process.versions.node}, ${availableParallelism()} cores, load average ${load} over the last 15 minutes.`;
}
