/*
 * Every block of code in the documentation stands, word for word, in a file of the repository; only
 * line breaks and indentation may differ. `npm run check:types` compiles all TypeScript there; Java,
 * Python and SQL are run by the tests beside them.
 *
 * To add one: write a file in `test/docs/examples` that a test beside it runs (see
 * `fencing.e2e-spec.ts`), and copy it into the page. A fragment of a few lines goes into
 * `test/docs/fragments`, with whatever it needs to compile around it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { blocksIn, pages } from '../support/documentation.js';

const root = new URL('../../', import.meta.url);

/** Pages whose code is run from the page itself, and the test that does it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'libs/zk-client/README.md': 'run as a program of its own by test/zk-client/readme.e2e-spec.ts',
  'libs/zk-locks/README.md': 'run as a program of its own by test/docs/zk-locks.e2e-spec.ts',
};

/** Their code has comments in Chinese: `chinese.spec.ts` and `readme.spec.ts` hold it against the English pages. */
const CHINESE = 'zh-CN';

/** Declarations as the compiler has written them: `npm run check:api` holds them against the code. */
const API_REPORT = /^libs\/[^/]+\/api\//;

/** As it is compiled; lines are broken elsewhere where the code is indented. */
const essence = (code: string): string =>
  code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');

const LANGUAGES = ['ts', 'java', 'python', 'sql'];

const sources = ['test/', 'apps/', 'libs/'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter(
      (path) =>
        /\.(ts|java|py|sql)$/.test(path) && !/(^|\/)(node_modules|build|dist|compat)\//.test(path),
    )
    .map((path) => essence(readFileSync(new URL(folder + path, root), 'utf8'))),
);

const shown = pages()
  .filter((page) => !(page in ELSEWHERE) && !API_REPORT.test(page) && !page.includes(CHINESE))
  .flatMap((page) =>
    blocksIn(new URL(page, root))
      .filter(({ language }) => LANGUAGES.includes(language))
      .map(({ code, line }) => ({ where: `${page}:${line}`, code })),
  );

it.each(shown)('the code at $where is compiled', ({ code }) => {
  expect(code).toSatisfy(
    (text: string) => sources.some((source) => source.includes(essence(text))),
    'stands in a file',
  );
});

it('lists only existing pages as those whose code is run from the page', () => {
  expect(pages()).toEqual(expect.arrayContaining(Object.keys(ELSEWHERE)));
});
