/**
 * Draws the pictures of the documentation with Chromium: the lock board with data of `board-sample.ts`,
 * and the demo as it runs.
 *
 *   npm run build && npx tsx test/pictures/draw.ts
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from '../board-page/support/browser.js';
import { AppProcess } from '../support/app-process.js';
import { KEY, OVERVIEW, ROWS } from './board-sample.js';

const BOARD = new URL('../../libs/nestjs-zk-lock/dist/board/', import.meta.url);

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../docs/images/${name}`, import.meta.url));

const JSON_OF: Readonly<Record<string, unknown>> = {
  '/locks/overview': OVERVIEW,
  '/locks/keys': { revision: 1, total: ROWS.length, offset: 0, rows: ROWS },
  '/locks/key': KEY,
};

const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/locks': ['index.html', 'text/html'],
  '/locks/board.js': ['board.js', 'text/javascript'],
  '/locks/board.css': ['board.css', 'text/css'],
};

async function respond(path: string, response: ServerResponse): Promise<void> {
  const file = FILES[path];
  if (file) {
    const [name, type] = file;
    const text = await readFile(new URL(name, BOARD), 'utf8');
    response.setHeader('content-type', `${type}; charset=utf-8`);
    response.end(text.replaceAll('{{segment}}', 'locks'));
  } else if (path === '/locks/changes') {
    response.setHeader('content-type', 'text/event-stream');
    response.flushHeaders();
  } else {
    response.end(JSON.stringify(JSON_OF[path] ?? null));
  }
}

async function open(browser: Browser, url: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({
    ...{ deviceScaleFactor: 1.5, reducedMotion: 'reduce', timezoneId: 'UTC', ...options },
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('main[aria-busy=false]').waitFor();
  return page;
}

async function drawBoard(browser: Browser): Promise<void> {
  const server = createServer((request, response) => {
    void respond(new URL(request.url ?? '/', 'http://localhost').pathname, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/locks`;
  const keys = await open(browser, url, { viewport: { width: 1200, height: 760 } });
  await keys.getByText('live', { exact: true }).waitFor();
  await keys.screenshot({ path: pathOf('board-keys.png') });
  const key = await open(browser, `${url}#key=${KEY.key}`, {
    ...{ viewport: { width: 1280, height: 700 }, colorScheme: 'dark' },
  });
  await key.getByText('live', { exact: true }).waitFor();
  await key.getByRole('button', { name: '1 min', exact: true }).click();
  await key.screenshot({ path: pathOf('board-key.png') });
  server.closeAllConnections();
  server.close();
}

/** Makes the tickets be sold twice, and cuts off the holder. */
async function drawDemo(browser: Browser): Promise<void> {
  const demo = new AppProcess('demo/dist/main.js', { ZK_LOCKS_CLIENT: '', DEMO_STATE: '' });
  const url = await demo.said(/Demo: (\S+)/);
  const page = await open(browser, url, {
    ...{ viewport: { width: 1000, height: 836 }, deviceScaleFactor: 1 },
  });
  page.setDefaultTimeout(60_000);
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await click('Sell 100 tickets without the lock');
  await page.getByText(/[1-9]\d* lost/).waitFor();
  await click('Sell 100 tickets with the lock');
  await page.getByText('100 counted, 0 lost').waitFor();
  const holder = page.locator('li.holder .replica');
  for (const name of ['A', 'B', 'A']) await holder.getByText(name, { exact: true }).waitFor();
  await click('Cut the holder off from ZooKeeper');
  await page
    .locator('.outcome')
    .getByText(/At no time did both hold it\.$/)
    .waitFor();
  await page.screenshot({ path: pathOf('demo.png') });
  await demo.end();
}

const browser = await chromium.launch({
  ...{ executablePath: findChromium(), args: ['--no-sandbox'] },
});
await drawBoard(browser);
await drawDemo(browser);
await browser.close();
