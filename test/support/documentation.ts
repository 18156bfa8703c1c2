import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** All pages of the repository, as paths from its root. */
export function pages(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) => {
      if (/^(\.git|node_modules|dist|reports|coverage)$/.test(entry.name)) return [];
      if (entry.isDirectory()) return below(`${folder}${entry.name}/`);
      return entry.name.endsWith('.md') ? [folder + entry.name] : [];
    });
  // Copies made by `npm pack`, where they exist.
  return below('').filter((page) => !/^libs\/nestjs-zk-lock\/(README\.md|docs\/)/.test(page));
}

export interface Block {
  readonly language: string;
  readonly code: string;
  readonly line: number;
}

/** The code blocks of a page that name their language, in order. */
export function blocksIn(page: URL): Block[] {
  const text = readFileSync(page, 'utf8');
  const blocks = text.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return Array.from(blocks, ({ 1: language = '', 2: code = '', index }) => ({
    language,
    code,
    line: text.slice(0, index).split('\n').length,
  }));
}

/** The code blocks of a page, in order. */
export function codeIn(page: URL): string[] {
  return blocksIn(page).map(({ code }) => code);
}

/** Code of TypeScript, a shell or SQL without its comments, as pages in several languages share it. */
export function withoutComments(code: string): string {
  return code
    .replaceAll(/^ *\/\*\*.*?\*\/\n/gms, '')
    .replaceAll(/^ *(\/\/|# |-- ).*\n|\s+(\/\/|# ).*$/gm, '');
}

/** A page without its code, where brackets and `#` have other meanings. */
function proseOf(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '');
}

/** The targets of a page's links, images and link definitions included. */
export function linksIn(text: string): string[] {
  const prose = proseOf(text).replaceAll(/`[^`\n]*`/g, 'code');
  const links = prose.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm);
  return Array.from(links, ([, inline, defined]) => inline ?? defined ?? '');
}

/** The levels of a page's headings, in order. */
export function headingLevelsIn(text: string): number[] {
  return Array.from(proseOf(text).matchAll(/^(#+) /gm), ([, marks = '']) => marks.length);
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const headings = Array.from(
    proseOf(text).matchAll(/^#+ (.+)$/gm),
    ([, heading]) => heading ?? '',
  );
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

/** The files of a folder, in any language. */
export function sourcesIn(folder: URL): string[] {
  const path = fileURLToPath(folder);
  return readdirSync(path).map((name) => readFileSync(`${path}/${name}`, 'utf8'));
}
