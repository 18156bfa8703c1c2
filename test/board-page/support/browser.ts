import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

export interface Viewer {
  /** Opens the board in a new browser context. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** An empty page in a new browser context. */
  openEmpty(options?: BrowserContextOptions): Promise<Page>;
  /** Allows failed requests for the rest of the test. */
  expectFailedRequests(): void;
}

/** Runs in the page: logs violations of its policy. */
const WATCH = `
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    console.error('CSP', violatedDirective, blockedURI);
  });
`;

/** Chromium logs this for each request that fails. */
const FAILED_REQUEST = 'Failed to load resource';

/**
 * Starts Chromium for a file of tests. After each test, closes the pages, and fails if one of them has
 * logged anything: an error, a warning, or a violation of the Content-Security-Policy.
 */
export function useBrowser(): Viewer {
  let browser: Browser | undefined;
  let complaints: string[] = [];
  let mayFail = false;

  beforeAll(async () => {
    // The sandbox of Chromium does not start as root.
    browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  afterEach(async () => {
    await Promise.all(browser!.contexts().map((context) => context.close()));
    const unexpected = complaints.filter((text) => !mayFail || !text.startsWith(FAILED_REQUEST));
    complaints = [];
    mayFail = false;
    expect(unexpected, 'complaints of the browser').toEqual([]);
  });

  const openEmpty = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser!.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => complaints.push(`a dialog of the browser: ${dialog.message()}`));
    await page.addInitScript({ content: WATCH });
    return page;
  };

  return {
    openEmpty,
    async open(url, options) {
      const page = await openEmpty(options);
      await page.goto(url);
      await page.locator('main[aria-busy=false]').waitFor();
      return page;
    },
    expectFailedRequests() {
      mayFail = true;
    },
  };
}

/** The headless build of Chromium if there is one: it makes no profile for each context. */
export function findChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = ['chromium-headless-shell', 'chromium'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  const found = paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error('No chromium on the PATH: npm run ensure -- --browser');
  return found;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** The CPU time of the thread, in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/**
 * The longest task of the main threads of pages during `work`, in milliseconds of CPU time. It does not grow
 * while other processes use the CPU.
 */
export async function longestTaskOf(page: Page, work: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work().catch(async (error: unknown) => {
    await browser.stopTracing();
    throw error;
  });
  const trace = (await browser.stopTracing()).toString();
  const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] };
  const isMain = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  // Without a duration, the task had begun before, or had not ended.
  const tasks = traceEvents.filter(
    ({ name, pid, tid, tdur }) =>
      name === 'ThreadControllerImpl::RunTask' && isMain.has(`${pid} ${tid}`) && tdur !== undefined,
  );
  expect(tasks.length, 'traced tasks of pages').toBeGreaterThan(0);
  return tasks.reduce((longest, { tdur }) => Math.max(longest, tdur!), 0) / 1_000;
}

/**
 * Holds back a page's requests.
 *
 * @param path a glob
 * @returns a function that refuses these and later requests with this message
 */
export async function refuseLater(page: Page, path: string, message: string): Promise<() => void> {
  let answer!: () => void;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  await page.route(path, async (route) => {
    await answered;
    await route.fulfill({ status: 409, json: { message } });
  });
  return answer;
}

/** The row of a key in the list. */
export const rowOf = (page: Page, key: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: key, exact: true }) });

/** The visible texts of the cells of a row. */
export async function cellsOf(row: Locator): Promise<string[]> {
  await row.waitFor();
  const texts = await row.getByRole('cell').allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}
