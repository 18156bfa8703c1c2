import { ZkLockModule } from 'nestjs-zk-lock';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startBoard, type BoardAppOptions } from '../board/support/board-app.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { InspectClient } from '../support/inspect-client.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { refuseLater, useBrowser } from './support/browser.js';

const apps = useTestApps();
const browser = useBrowser();

const board = { readOnly: false, actionGuards: 'none' } as const;

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

const untilTold = (page: Page, text: RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor();

describe('an operator', () => {
  const start = (options?: BoardAppOptions) => startBoard(apps, { board, ...options });

  it('asks holders to release a key', async () => {
    const { locks, url } = await start();
    const held = await locks.acquire('order:7');
    const page = await browser.open(`${url}#key=order:7`);
    await press(page, 'Revoke…');
    const dialog = page.getByRole('dialog', { name: 'Revoke' });
    await dialog.getByText(/Asks 1 holder of order:7/).waitFor();
    await dialog.getByRole('button', { name: 'Ask to release' }).click();
    await untilTold(page, /1 holder was asked/);
    expect(await dialog.count()).toBe(0);
    expect(await page.locator(':focus').innerText()).toBe('Revoke…');
    await waitFor(() => held.revoked.aborted, { what: 'the holder to hear of it' });
    await page.getByText('asked to release').first().waitFor();
    await held.release();
  });

  it('breaks a lock once the key has been typed', async () => {
    const { url } = await start();
    const other = await apps.replica({ application: 'billing' });
    const held = await other.acquire('order:7', { label: 'refund' });
    const page = await browser.open(`${url}#key=order:7`);
    await press(page, 'Break…');
    const dialog = page.getByRole('dialog', { name: 'Break this lock' });
    await dialog.getByText(String(held.fencingToken)).waitFor();
    await dialog.getByText(/^billing /).waitFor();
    const confirm = dialog.getByRole('button', { name: 'Break it' });
    const field = dialog.getByRole('textbox', { name: /Type the key/ });
    await field.fill('order:8');
    await field.press('Enter');
    expect(await confirm.getAttribute('aria-disabled')).toBe('true');
    expect(held.signal.aborted).toBe(false);
    await field.fill('order:7');
    await field.press('Enter');
    await untilTold(page, /The lock was taken from/);
    await waitFor(() => held.signal.aborted, { what: 'the holder to hear of its loss' });
    await page.getByRole('main').getByText('It is free.').waitFor();
  });

  it('sets the permits of a semaphore', async () => {
    const sharedCount = `${apps.root}-count`;
    const semaphores = [{ key: 'cards', permits: { sharedCount, seed: 2 } }];
    const imports = [ZkLockModule.forFeature({ semaphores })];
    const { locks, url } = await start({ metadata: { imports } });
    const semaphore = locks.semaphore('cards', { permits: { sharedCount, seed: 2 } });
    const permit = await semaphore.acquire();
    const page = await browser.open(`${url}#key=cards`);
    await press(page, 'Set permits…');
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/set-permits')) sent.push(request.postDataJSON());
    });
    const field = page.getByRole('spinbutton', { name: 'Permits' });
    // The nodes of the semaphore do not tell the number.
    expect(await field.inputValue()).toBe('');
    await field.press('Enter');
    await field.fill('7');
    await field.fill('');
    await field.press('Enter');
    await field.fill('5');
    await press(page, 'Set permits');
    await untilTold(page, /The number of permits is now 5/);
    expect(sent).toEqual([{ key: 'cards', permits: 5 }]);
    const more = await semaphore.acquire({ take: 4, timeoutMs: 0 });
    await Promise.all([permit.release(), more.release()]);
    await using inspector = await InspectClient.connect(sharedServer().connectString);
    await inspector.delete(sharedCount);
  });

  it('lets its own application resign', async () => {
    const { locks, url } = await start();
    const [election, other] = [
      locks.election('feed'),
      await apps.replica({ application: 'spare' }),
    ];
    await election.whenLeader();
    const candidate = other.election('feed');
    const leading = candidate.whenLeader();
    await apps.untilQueued(2);
    const page = await browser.open(`${url}#key=feed`);
    await press(page, 'Resign…');
    await page.getByRole('dialog').getByRole('button', { name: 'Resign' }).click();
    await untilTold(page, /has resigned/);
    await leading;
    await page.getByRole('table', { name: 'Leader' }).getByText('spare').waitFor();
    await page.getByRole('button', { name: 'Resign…' }).waitFor({ state: 'detached' });
    await Promise.all([election.close(), candidate.close()]);
  });
});

it('lets an operator break a node in the queue that has no session', async () => {
  const { locks, url } = await startBoard(apps, { board });
  await using inspector = await InspectClient.connect(sharedServer().connectString);
  const held = await locks.acquire('order:7');
  const path = `${apps.root}/order:7/_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-__WRIT__`;
  const left = await inspector.create(path, 'left behind', 'persistentSequential');
  const page = await browser.open(`${url}#key=order:7`);
  const queue = page.getByRole('table', { name: '1 waiting' });
  await queue.getByText('no session').waitFor();
  await queue.getByRole('button', { name: 'Break…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('If it held the lock, the next call then gets it.').waitFor();
  await dialog.getByRole('textbox').fill('order:7');
  await press(page, 'Break it');
  await untilTold(page, /is gone: it neither holds the lock nor waits for it\./);
  await page.getByText('No calls are waiting.').waitFor();
  expect(await inspector.exists(left)).toBeUndefined();
  await held.release();
});

it('tells an operator who has closed a dialog how the action ended, and does not open the dialog again', async () => {
  const { locks, url } = await startBoard(apps, { board });
  const held = await locks.acquire('order:7');
  const page = await browser.open(`${url}#key=order:7`);
  browser.expectFailedRequests();
  const answer = await refuseLater(page, '**/actions/revoke', 'It was released a moment ago.');
  await press(page, 'Revoke…');
  await press(page, 'Ask to release');
  await page.getByRole('button', { name: 'Waiting for the answer…' }).waitFor();
  await page.keyboard.press('Escape');
  await press(page, 'Break…');
  answer();
  await page.getByText('order:7: It was released a moment ago.').waitFor();
  expect(await page.getByRole('dialog').getByRole('heading').innerText()).toBe('Break this lock');
  await held.release();
});

it('does not let an operator repeat a refused action, but accepts another number of permits', async () => {
  const sharedCount = `${apps.root}-count`;
  const semaphores = [{ key: 'cards', permits: { sharedCount, seed: 2 } }];
  const imports = [ZkLockModule.forFeature({ semaphores })];
  const { locks, url } = await startBoard(apps, { board, metadata: { imports } });
  const permit = await locks.semaphore('cards', { permits: { sharedCount, seed: 2 } }).acquire();
  const held = await locks.acquire('order:7');
  const page = await browser.open(`${url}#key=cards`);
  browser.expectFailedRequests();
  const dialog = page.getByRole('dialog');
  await press(page, 'Set permits…');
  const permits = dialog.getByRole('spinbutton', { name: 'Permits' });
  await permits.fill('99999999999');
  await press(page, 'Set permits');
  await dialog.getByRole('status').filter({ hasText: '99999999999' }).waitFor();
  await permits.fill('3');
  await press(page, 'Set permits');
  await untilTold(page, /The number of permits is now 3/);

  await page.goto(`${url}#key=order:7`);
  await page.getByRole('button', { name: 'Break…' }).waitFor();
  // Keeps the page from learning that the holder is gone.
  await page.route('**/locks/{key,overview}*', (route) => route.abort());
  await press(page, 'Break…');
  await dialog.getByRole('textbox').fill('order:7');
  await held.release();
  await press(page, 'Break it');
  await dialog.getByRole('status').filter({ hasText: 'not broken' }).waitFor();
  const breakIt = dialog.getByRole('button', { name: 'Break it' });
  expect(await breakIt.getAttribute('aria-disabled')).toBe('true');
  await permit.release();
  await locks.client.delete(sharedCount);
});

it('tells an operator in the dialog that the holder has gone, and does not offer to break its lock', async () => {
  const { locks, url } = await startBoard(apps, { board });
  const held = await locks.acquire('order:7');
  const page = await browser.open(`${url}#key=order:7`);
  await press(page, 'Break…');
  const dialog = page.getByRole('dialog', { name: 'Break this lock' });
  await dialog.getByRole('textbox').fill('order:7');
  await held.release();
  await dialog
    .getByRole('status')
    .filter({ hasText: 'This contender has left in the meantime' })
    .waitFor();
  const breakIt = dialog.getByRole('button', { name: 'Break it' });
  expect(await breakIt.getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

it('tells an operator in the dialog that the holder has gone, although the next one has a node of the same name', async () => {
  const connection = { dialect: 'single-node' } as const;
  const { locks, url } = await startBoard(apps, { board, connection });
  const other = await apps.replica({ application: 'billing', ...connection });
  const held = await locks.acquire('order:7');
  const next = other.acquire('order:7', { timeoutMs: Infinity });
  const page = await browser.open(`${url}#key=order:7`);
  await press(page, 'Break…');
  const dialog = page.getByRole('dialog', { name: 'Break this lock' });
  await held.release();
  const later = await next;
  await page.getByText('billing').first().waitFor();
  await dialog.getByText('This contender has left in the meantime').waitFor();
  await later.release();
});

it('does not call a holder gone that has downgraded its lock, or whose lock is being broken', async () => {
  const { locks, url } = await startBoard(apps, { board });
  let downgrade = (): void => {};
  const isTime = new Promise<void>((resolve) => (downgrade = resolve));
  const reading = locks.withLock('order:7', async () => {
    await isTime;
    return locks.acquire('order:7', { mode: 'read' });
  });
  await apps.untilQueued(1);
  const page = await browser.open(`${url}#key=order:7`);
  browser.expectFailedRequests();
  const answer = await refuseLater(page, '**/actions/break', 'It was not broken.');
  await press(page, 'Break…');
  const dialog = page.getByRole('dialog', { name: 'Break this lock' });
  const gone = 'This contender has left in the meantime';
  downgrade();
  const held = await reading;
  const modes = page.locator('td');
  await modes.getByText('read', { exact: true }).waitFor();
  await modes.getByText('write', { exact: true }).waitFor({ state: 'detached' });
  expect(await dialog.getByText(gone).count()).toBe(0);
  await dialog.getByRole('textbox').fill('order:7');
  await press(page, 'Break it');
  await page.getByRole('button', { name: 'Waiting for the answer…' }).waitFor();
  await held.release();
  await page.getByText('It is free.').first().waitFor();
  expect(await dialog.getByText(gone).count()).toBe(0);
  answer();
  await dialog.getByText('It was not broken.').waitFor();
});
