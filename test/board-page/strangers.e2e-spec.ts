import { expect, it } from 'vitest';
import { startBoard } from '../board/support/board-app.js';
import { holdTrees } from '../board/support/hold-trees.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { InspectClient } from '../support/inspect-client.js';
import { sharedServer } from '../support/shared-server.js';
import { axeFindings } from './support/axe.js';
import { rowOf, useBrowser } from './support/browser.js';

const apps = useTestApps();
const browser = useBrowser();

it('shows invisible characters of a key as escapes, and opens the key', async () => {
  const { locks, url } = await startBoard(apps);
  const held = await locks.acquire('k5\u202eevil');
  const page = await browser.open(url);
  const shown = 'k5\\u{202e}evil';
  await rowOf(page, shown).waitFor();
  expect(await page.content()).not.toContain('\u202e');
  await page.getByRole('link', { name: shown }).click();
  await page.getByRole('heading', { name: shown }).waitFor();
  await page.getByRole('region', { name: 'Holder' }).waitFor();
  expect(await page.title()).toContain(shown);
  await page.keyboard.press('Escape');
  await rowOf(page, shown).waitFor();
  expect(await page.locator(':focus').innerText()).toBe(shown);
  await page.getByRole('checkbox', { name: 'Grouped' }).check();
  await page.getByRole('link', { name: shown }).click();
  await page.getByRole('region', { name: 'Holder' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('columnheader', { name: 'Longest wait' }).waitFor();
  expect(await page.locator(':focus').innerText()).toBe(shown);
  await held.release();
});

it('shows the command of a remedy unchanged, even if a key has backticks', async () => {
  const { url } = await startBoard(apps);
  await using inspector = await InspectClient.connect(sharedServer().connectString);
  const directory = `${apps.root}/or\`d\`er`;
  for (const path of [apps.root, directory]) await inspector.create(path);
  const node = '_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-__WRIT__0000000000';
  await inspector.create(`${directory}/${node}`, 'by hand', 'persistent');
  const page = await browser.open(url);
  await page.getByText(`zkCli.sh delete '${directory}/${node}'`).waitFor();
  await inspector.deleteTree(directory);
});

it('does not look healthy before it has read anything', async () => {
  const { locks, url } = await startBoard(apps);
  const held = await locks.acquire('order:7');
  const trees = holdTrees();
  const page = await browser.open(url);
  await page.getByRole('heading', { name: 'Still reading' }).waitFor();
  await page.getByText('The keys are still being read.').waitFor();
  await page.getByRole('region', { name: 'Outdated' }).getByText('Still reading.').waitFor();
  expect(await page.getByText('No problems').count()).toBe(0);
  expect(await page.getByText('held', { exact: true }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  trees.open();
  await page.getByRole('heading', { name: 'No problems' }).waitFor();
  await rowOf(page, 'order:7').waitFor();
  await held.release();
});
