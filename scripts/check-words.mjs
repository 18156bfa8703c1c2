/**
 * Holds what people read to its limits: the words of each page, its paragraphs, how soon code comes,
 * and the English of pages, comments, messages and titles of tests. Prints the words of each page.
 *
 *   node scripts/check-words.mjs [FILE...]      all tracked files without any
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const MOST_WORDS = {
  'docs/ARCHITECTURE.md': 900,
  'README.md': 1_700,
  // It explains the whole queue.
  'docs/decisions/0022-key-queue.md': 700,
  // A table of facts about servers, to be looked up and added to; most words are names of ZooKeeper's.
  'docs/decisions/0017-server-assumptions.md': 1_450,
};
const MOST_WORDS_OF_A_DECISION = 350;
const MOST_WORDS_OF_ALL_GUIDES = 20_000;
const MOST_WORDS_OF_A_PARAGRAPH = 90;
/** One screen. */
const FIRST_CODE_BEFORE_LINE = 40;

const isGuide = (path) => /^docs\/[a-z-]+\.md$/.test(path);
const isDecision = (path) => path.startsWith('docs/decisions/');

/** What a reader has to decipher, and what to write. */
const PATTERNS = [
  [/\b(whoever|whomever|nobody|somebody|anybody)\b/i, 'name the caller, holder, waiter or process'],
  [/\bin vain\b/i, '"unsuccessfully", or what did not happen'],
  [/\bbe it\b/i, '"whether"'],
  [/\b(of late|all the same|lest|hence|thereby|thereof|wherein)\b/i, 'a word of today'],
  [/\b(is|are|was|were) none\b/i, 'what was expected and what came'],
  [/\bSo (many|long|often|much)\b(?! as\b)/, 'the noun first: "The number of ..."'],
  [/\b(is|are) dear\b/i, '"expensive"'],
  [/\b(its|their) affair\b/i, 'what happens'],
  [/^#+ (What came of it|Where the time went)/, 'a heading that says what is there'],
];

/** Where a pattern is right: the file, a part of the line, and why. */
const ARGUED = [['scripts/check-words.mjs', '', 'names the patterns']];

const isArgued = (path, line) =>
  ARGUED.some(([file, part]) => path === file && line.includes(part));

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
const named = process.argv.slice(2);
const files = (named.length > 0 ? named : tracked)
  .filter((path) => /\.(md|m?ts|mjs|cjs|sh|py|java|yml)$/.test(path) && existsSync(path))
  .filter((path) => !/zh-CN|\/api\/.*\.md$/.test(path));

const faults = [];
let ofAllGuides = 0;

for (const path of files) {
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    for (const [pattern, remedy] of PATTERNS) {
      const found = pattern.exec(line)?.[0];
      if (found === undefined || isArgued(path, line)) continue;
      faults.push(`${path}:${index + 1}: "${found}": write ${remedy}`);
    }
  }
  if (path.endsWith('.md')) checkPage(path, text, lines);
}

function checkPage(path, text, lines) {
  const words = wordsIn(text);
  if (isGuide(path)) ofAllGuides += words;
  if (isGuide(path) || isDecision(path) || path in MOST_WORDS) {
    console.log(`${String(words).padStart(6)}  ${path}`);
  }
  const most = MOST_WORDS[path] ?? (isDecision(path) ? MOST_WORDS_OF_A_DECISION : Infinity);
  if (words > most) faults.push(`${path}: ${words} words; at most ${most}`);
  if (!isGuide(path)) return;
  const firstCode = lines.findIndex((line) => line.startsWith('```'));
  if (firstCode === -1 || firstCode >= FIRST_CODE_BEFORE_LINE) {
    faults.push(`${path}: no code within its first ${FIRST_CODE_BEFORE_LINE} lines`);
  }
  for (const paragraph of paragraphsOf(text)) {
    const count = wordsIn(paragraph);
    if (count <= MOST_WORDS_OF_A_PARAGRAPH) continue;
    faults.push(`${path}: a paragraph of ${count} words: "${paragraph.slice(0, 50)}..."`);
  }
}

function wordsIn(text) {
  return text.split(/\s+/).filter(Boolean).length;
}

/** Without code, tables and headings; each item of a list is a paragraph. */
function paragraphsOf(text) {
  return text
    .replaceAll(/^```[^]*?^```/gm, '\n')
    .replaceAll(/^(\||#).*$/gm, '\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/);
}

console.log(`${String(ofAllGuides).padStart(6)}  all guides (docs/*.md)`);
if (named.length === 0 && ofAllGuides > MOST_WORDS_OF_ALL_GUIDES) {
  faults.push(`docs/*.md: ${ofAllGuides} words; at most ${MOST_WORDS_OF_ALL_GUIDES}`);
}
for (const fault of faults) console.error(fault);
console.log(`${faults.length} faults`);
if (faults.length > 0) process.exitCode = 1;
