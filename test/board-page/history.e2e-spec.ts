import { expect, it } from 'vitest';
import { startBoard } from '../board/support/board-app.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { axeFindings } from './support/axe.js';
import { useBrowser } from './support/browser.js';

const apps = useTestApps();
const browser = useBrowser();

it('draws who has held a key and how many waited, and lists what has happened', async () => {
  const board = await startBoard(apps);
  const other = await apps.replica({ application: 'billing' });
  const page = await browser.open(`${board.url}#key=order:7`);
  await page.getByText('Nothing is known about this key').waitFor();
  await page.getByRole('heading', { name: /^History since \d\d:\d\d:\d\d$/ }).waitFor();

  const held = await board.locks.acquire('order:7', { label: 'ship' });
  const next = other.acquire('order:7', { label: 'refund', timeoutMs: Infinity });
  await page.getByRole('table', { name: '1 waiting' }).waitFor();
  await page.getByRole('img', { name: /^1 hold and up to 1 waiting/ }).waitFor();
  await held.release();
  const second = await next;
  const drawing = page.getByRole('img', { name: /^2 holds and up to 1 waiting/ });
  // Nodes that exist only between two reads are not shown.
  await drawing.waitFor();
  await second.release();
  await page.getByRole('main').getByText('It is free.').waitFor();
  expect(await drawing.locator('rect.hold').count()).toBe(2);
  expect(await drawing.locator('title').allTextContents()).toEqual([
    expect.stringMatching(/^shop .* ship\n.*: released$/),
    expect.stringMatching(/^billing .* refund\n.*: released/),
  ]);

  await page.getByRole('button', { name: 'Show 5 events' }).click();
  const rows = page.getByRole('table', { name: /^History since/ }).getByRole('row');
  await rows.nth(5).waitFor();
  const [, last, ...earlier] = await rows.allInnerTexts();
  expect(last).toMatch(/billing .* refund released it.* after \d/);
  expect(earlier.join('\n')).toMatch(/shop .* ship got it at once/);
  await page.getByRole('button', { name: '1 min' }).click();
  expect(await page.getByRole('button', { name: '1 min' }).getAttribute('aria-pressed')).toBe(
    'true',
  );
  expect(await axeFindings(page)).toEqual([]);
});

it('says that hand-overs in memory are not seen, for a key that has them', async () => {
  const board = await startBoard(apps, { connection: { cohort: {} } });
  const page = await browser.open(`${board.url}#key=order:7`);
  await page.getByRole('heading', { name: /^History since/ }).waitFor();
  const note = page.getByText('Hand-overs in memory (cohort) are not seen.');
  expect(await note.count()).toBe(0);
  const held = await board.locks.acquire('order:7');
  await note.waitFor();
  await held.release();
});

/** Runs in the page. Counts the labels and marks, and measures the least distance from a side. */
const AXIS = `(() => {
  const { left, right } = document.querySelector('.timeline').getBoundingClientRect();
  const texts = [...document.querySelectorAll('.timeline .tick')];
  const gaps = texts.map((text) => text.getBoundingClientRect());
  return {
    written: texts.length,
    marked: document.querySelectorAll('.timeline > line').length,
    least: Math.min(...gaps.map((box) => Math.min(box.left - left, right - box.right))),
  };
})()`;

it('keeps times off the edges of a narrow screen', async () => {
  const board = await startBoard(apps);
  const options = { viewport: { width: 320, height: 700 } };
  const page = await browser.open(`${board.url}#key=order:7`, options);
  await page.getByRole('img', { name: /^0 holds/ }).waitFor();
  const axis = () => page.evaluate<{ written: number; marked: number; least: number }>(AXIS);
  // Times move to the left.
  const isNear = async (): Promise<boolean> => {
    const { written, marked, least } = await axis();
    expect(written).toBeGreaterThan(0);
    expect(least).toBeGreaterThan(0);
    return written < marked;
  };
  await waitFor(isNear, { what: 'a time to come near a side' });
});
