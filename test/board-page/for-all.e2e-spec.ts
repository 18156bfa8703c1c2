import { expect, it } from 'vitest';
import { startBoard } from '../board/support/board-app.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { axeFindings } from './support/axe.js';
import { rowOf, useBrowser } from './support/browser.js';

const apps = useTestApps();
const browser = useBrowser();

/** A height in pixels between those of one and two lines of text. */
const ONE_LINE = 28;
const METHOD = 'OrderFulfilmentService.reserveAndShip';

/** An application with keys of several kinds, problems, and all actions. */
async function startWithKeys() {
  const board = await startBoard(apps, {
    board: { readOnly: false, actionGuards: 'none', longHoldMs: 1 },
  });
  const { locks } = board;
  const other = await apps.replica({ application: 'billing' });
  const held = await locks.acquire('order:1', { label: METHOD });
  // Waits as long as the test takes.
  const waiting = other.acquire('order:1', { label: 'refund', timeoutMs: Infinity });
  const reading = await locks.acquire('catalogue', { mode: 'read' });
  const permit = await locks.semaphore('cards', { permits: 4 }).acquire();
  const election = locks.election('feed');
  await election.whenLeader();
  await apps.untilQueued(5);
  return {
    url: board.url,
    async [Symbol.asyncDispose]() {
      await Promise.all([held.release(), reading.release(), permit.release(), election.close()]);
      await (await waiting).release();
    },
  };
}

it.each([
  ['light', 1280],
  ['dark', 380],
] as const)('in %s colours, at %d pixels, axe finds nothing wrong', async (colorScheme, width) => {
  await using board = await startWithKeys();
  const page = await browser.open(board.url, { colorScheme, viewport: { width, height: 800 } });
  const findings: string[] = [];
  for (const hash of ['', '#key=order:1', '#key=cards', '#key=feed', '#application']) {
    await page.goto(`${board.url}${hash}`);
    await page
      .locator(hash === '#application' ? 'h1' : 'table')
      .first()
      .waitFor();
    findings.push(...(await axeFindings(page)));
    const isTooWide = 'document.documentElement.scrollWidth > window.innerWidth';
    for (const each of [width, 960, 1000, 1250]) {
      await page.setViewportSize({ width: each, height: 800 });
      expect(await page.evaluate<boolean>(isTooWide), `${hash} scrolls sideways`).toBe(false);
    }
    await page.setViewportSize({ width, height: 800 });
  }
  await page.goto(`${board.url}#key=order:1`);
  await page.getByRole('button', { name: 'Break…' }).click();
  await page.getByRole('dialog').waitFor();
  findings.push(...(await axeFindings(page)));
  expect(findings).toEqual([]);
});

it('breaks no word of a label, and shows both buttons of a holder side by side', async () => {
  await using board = await startWithKeys();
  for (const width of [1250, 1000, 380]) {
    const page = await browser.open(`${board.url}#key=order:1`, {
      viewport: { width, height: 800 },
    });
    const holder = page.getByRole('table', { name: 'Holder' });
    const label = holder.getByRole('cell').filter({ hasText: METHOD });
    expect((await label.innerText()).split('\n').map((text) => text.trim())).toEqual([METHOD]);
    for (const part of METHOD.split(/(?<=\.)/)) {
      const { height } = (await label.getByText(part, { exact: true }).boundingBox())!;
      expect(height, `${part} at ${width} pixels`).toBeLessThan(ONE_LINE);
    }
    await holder.getByRole('button', { name: 'Copy the command' }).click({ trial: true });
    await holder.getByRole('button', { name: 'Break…' }).click({ trial: true });
    await page.context().close();
  }
});

it('can be used with the keyboard alone', async () => {
  await using board = await startWithKeys();
  const page = await browser.open(board.url);
  const { keyboard } = page;
  const focused = page.locator(':focus');
  await rowOf(page, 'order:1').waitFor();

  await keyboard.press('/');
  await keyboard.type('order');
  expect(await focused.getAttribute('type')).toBe('search');
  await rowOf(page, 'cards').waitFor({ state: 'detached' });
  await keyboard.press('ArrowDown');
  expect(await focused.innerText()).toBe('order:1');
  await keyboard.press('Enter');
  await page.getByRole('table', { name: 'Holder' }).waitFor();
  expect(await focused.innerText()).toBe('order:1');
  expect(await focused.getAttribute('tabindex')).toBe('-1');

  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  expect(await focused.innerText()).toBe('Cancel');
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused.innerText()).toBe('Revoke…');

  await keyboard.press('Escape');
  await rowOf(page, 'order:1').waitFor();
  expect(await focused.innerText()).toBe('order:1');
  expect(page.url()).toContain('#filter=order');
  await keyboard.press('/');
  await keyboard.press('Escape');
  await rowOf(page, 'cards').waitFor();

  const header = page.getByRole('columnheader', { name: 'Key' });
  expect(await header.getAttribute('aria-sort')).toBe('none');
  await header.getByRole('button').focus();
  await keyboard.press('Enter');
  expect(await header.getAttribute('aria-sort')).toBe('ascending');
  await expect
    .poll(() => page.getByRole('rowheader').allInnerTexts())
    .toEqual(['cards', 'catalogue', 'feed', 'order:1']);
  await page.getByRole('link', { name: 'This application' }).click();
  await page.getByRole('heading', { name: '0 decorated methods' }).waitFor();
  await keyboard.press('/');
  // The list appears after the address has changed.
  await expect.poll(() => focused.getAttribute('type')).toBe('search');
  await page.goBack();
  await page.goBack();
  await page.goBack();
  await expect.poll(() => header.getAttribute('aria-sort')).toBe('none');
});

it('reacts to a key pressed right after the one that closed a dialog', async () => {
  await using board = await startWithKeys();
  const page = await browser.open(`${board.url}#key=order:1`);
  await page.getByRole('button', { name: 'Revoke…' }).click();
  await page.getByRole('dialog').waitFor();
  // The browser reports the end of a dialog with a delay.
  await page.evaluate(`
    document.querySelector('dialog').close();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  `);
  await rowOf(page, 'order:1').waitFor();
});
