/**
 * Checks what people read: the number of words and the paragraphs of each page, how soon code comes, and
 * the English of pages, comments, messages and test titles. Prints the number of words of each page.
 *
 *   node scripts/check-words.mjs [FILE...]      by default, all tracked files
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
  // A table of facts about servers, for reference; most of its words are ZooKeeper's names.
  'docs/decisions/0017-server-assumptions.md': 1_450,
};
const MOST_WORDS_OF_A_DECISION = 350;
const MOST_WORDS_OF_ALL_GUIDES = 20_000;
const MOST_WORDS_OF_A_PARAGRAPH = 90;
const MOST_WORDS_OF_A_SENTENCE = 30;
/** One screen. */
const FIRST_CODE_BEFORE_LINE = 40;

const isGuide = (path) => /^docs\/[a-z-]+\.md$/.test(path);
const isChinese = (path) => path.includes('zh-CN');
const isDecision = (path) => path.startsWith('docs/decisions/');

/** Phrases that readers have to decipher, and what to write instead. */
const PATTERNS = [
  [/\b(whoever|whomever|nobody|somebody|anybody)\b/i, 'name the caller, holder, waiter or process'],
  [/\bin vain\b/i, '"unsuccessfully", or what did not happen'],
  [/\bbe it\b/i, '"whether"'],
  [/\b(of late|all the same|lest|hence|thereby|thereof|wherein)\b/i, 'a word of today'],
  [/(?<!there )\b(is|are|was|were) none\b/i, 'what was expected and what came'],
  [/\bSo (many|long|often|much)\b(?! as\b)/, 'the noun first: "The number of ..."'],
  [/\b(is|are) dear\b/i, '"expensive"'],
  [/\b(its|their) affair\b/i, 'what happens'],
  [/^#+ (What came of it|Where the time went)/, 'a heading that says what is there'],
  [/\bor answer instead\b/, '"or return a fallback"'],
  [/\bskipped too\b/, '"also skipped the run"'],
  [/\bstands on it\b/, '"is built on it"'],
  [/\bIt was so\b/, '"It is a snapshot"'],
  [/\ba tenth early\b/, '"up to 10% early"'],
  [/\bdies has run\b/, '"counts even if it dies"'],
  [/\bis that of every\b/, 'who pays for it'],
  [/\bkey of the sum\b/, '"the key of the aggregate"'],
  [/\bbusy within\b/, '"was still busy after"'],
  [/\bend by their timeouts\b/, '"end when they time out"'],
  [/\bis gone is followed\b/, '"If it is gone, the search continues"'],
  [/\bsubscribers of the start\b/, '"only if you were subscribed"'],
  [/\b1 calls\b/, '"1 call"'],
  [/\bholders at once\b/, '"simultaneous holders"'],
];

/** Phrases that are refused only in pages. */
const PATTERNS_OF_PAGES = [
  [/\bfor ever\b/i, '"forever", or "indefinitely"'],
  [/\b(stays?|remains?) taken\b/, '"remains held"'],
  [/\b(do|does) harm\b/, '"causes damage"'],
  [/\bpass(es)? no (waiter|other)\b/, '"never jumps the queue"'],
  [/\b(a|the) process (that )?(stands|standing) still\b/, '"a paused process"'],
  [/\bby leaps\b/, '"stepped"'],
  [/\bbear(s|ing)? (one|two|a) failures?\b/, '"tolerates"'],
  [/\b(goes|go) on by itself\b/, '"recovers automatically"'],
  [/\bwaits? already\b/, '"is already waiting"'],
  [/\bof (this|its) process wait\b/, '"in this process are waiting"'],
  [/\blate clocks?\b/, '"lagging clock"'],
  [/\bso (long|much|often) (before|after)\b/, 'how long'],
  [/\bWhere you hear\b/, '"If you get"'],
  [/\bwhat (becomes|became) of\b/i, 'what happens to it'],
  [/\ba test of your own\b/i, '"testing your code"'],
  [/\bwhere to read on\b/i, '"further reading"'],
  [/\bknown are\b/i, 'the subject first'],
  [/\b(neither|nothing) safer\b/, 'what happens'],
  [/\bgives? back\b|\bgiven back\b|\bgave back\b/, '"releases"'],
  [/\bhas (it|them|her|him) alone\b/, '"holds it alone"'],
];

/** Phrases that native Chinese writers would not use, and what they would write. */
const PATTERNS_OF_CHINESE_PAGES = [
  [/副本(?!集)/, '实例'],
  [/应答/, '响应'],
  [/各类处理器/, '各类处理函数（handler）'],
  [/中止卡住/, '到时触发 `signal`，通知卡住的任务停止'],
  [/时钟走速/, '时钟漂移在允许范围内'],
  [/不留残余/, '自动清理'],
  [/尚不知道有谁/, '目前没有已知的生产用户'],
  [/怎么取/, '如何设计'],
  [/在仓库的克隆中/, '克隆仓库后'],
  [/不是依据/, '不能以它作为判断依据'],
  [/骗不了/, '给不出'],
  [/当场/, '即时'],
  [/不用数次数/, '无需维护重入计数'],
  [/各算一遍/, '单独计时'],
  [/您的应用可以用/, '应用内置'],
  [/先是问题，然后/, '上方为异常，下方为全部 key'],
];

/** Places where a refused phrase is right: the file, a part of the line, and why. */
const ARGUED = [['scripts/check-words.mjs', '', 'names the patterns']];

const isArgued = (path, line) =>
  ARGUED.some(([file, part]) => path === file && line.includes(part));

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
const named = process.argv.slice(2);
const files = (named.length > 0 ? named : tracked)
  .filter((path) => /\.(md|m?ts|mjs|cjs|sh|py|java|yml)$/.test(path) && existsSync(path))
  .filter((path) => !/\/api\/.*\.md$/.test(path));

const faults = [];
let ofAllGuides = 0;

for (const path of files) {
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    for (const [pattern, remedy] of patternsFor(path)) {
      const found = pattern.exec(line)?.[0];
      if (found === undefined || isArgued(path, line)) continue;
      faults.push(`${path}:${index + 1}: "${found}": write ${remedy}`);
    }
  }
  if (path.endsWith('.md') && !isChinese(path)) checkPage(path, text, lines);
}

function patternsFor(path) {
  if (isChinese(path)) return PATTERNS_OF_CHINESE_PAGES;
  return path.endsWith('.md') ? [...PATTERNS, ...PATTERNS_OF_PAGES] : PATTERNS;
}

function checkPage(path, text, lines) {
  const words = wordsIn(text);
  if (isGuide(path)) ofAllGuides += words;
  if (isGuide(path) || isDecision(path) || path in MOST_WORDS) {
    console.log(`${String(words).padStart(6)}  ${path}`);
  }
  const most = MOST_WORDS[path] ?? (isDecision(path) ? MOST_WORDS_OF_A_DECISION : Infinity);
  if (words > most) faults.push(`${path}: ${words} words; at most ${most}`);
  if (!isGuide(path) && path !== 'README.md') return;
  for (const sentence of sentencesOf(text)) {
    const count = wordsIn(sentence);
    if (count <= MOST_WORDS_OF_A_SENTENCE) continue;
    faults.push(`${path}: a sentence of ${count} words: "${sentence.slice(0, 50)}..."`);
  }
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

/** Characters of tables and code do not count as words. */
function wordsIn(text) {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** The paragraphs, without code, tables and headings. Each list item is a paragraph. */
function paragraphsOf(text) {
  return text
    .replaceAll(/^```[^]*?^```/gm, '\n')
    .replaceAll(/^(\||#).*$/gm, '\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/);
}

/** A colon before a list ends a sentence. Code counts as one word, and the target of a link does not count. */
function sentencesOf(text) {
  return paragraphsOf(text)
    .map((paragraph) => paragraph.replaceAll(/`+[^`]+`+/g, 'Code').replaceAll(/\]\([^)]*\)/g, ']'))
    .flatMap((paragraph) => paragraph.split(/(?<=[.?!][*”")]*)\s+(?=[*\[“"(]*[A-Z])|(?<=:)\s*$/));
}

console.log(`${String(ofAllGuides).padStart(6)}  all guides (docs/*.md)`);
if (named.length === 0 && ofAllGuides > MOST_WORDS_OF_ALL_GUIDES) {
  faults.push(`docs/*.md: ${ofAllGuides} words; at most ${MOST_WORDS_OF_ALL_GUIDES}`);
}
for (const fault of faults) console.error(fault);
console.log(`${faults.length} faults`);
if (faults.length > 0) process.exitCode = 1;
