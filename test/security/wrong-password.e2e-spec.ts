import { expect, it, onTestFinished } from 'vitest';
import { openLogged } from '../support/locks.js';
import { credentials, openRestrictedPlace } from './support/place.js';

const wrong = { ...credentials, password: 'guessed-0815' };

/** An existing root for one user. */
async function openUsedPlace() {
  const place = await openRestrictedPlace();
  const locks = await place.open();
  const lock = await locks.acquire('k');
  onTestFinished(() => lock.release());
  return place;
}

it('is reported when connecting: one warning, and the session names user, scheme and path', async () => {
  const { root } = await openUsedPlace();
  const { locks, logger } = await openLogged({ root, credentials: wrong });
  expect(locks.session.snapshot).toMatchObject({
    state: { name: 'connected' },
    refusal: { path: root, username: 'billing', scheme: 'digest', since: expect.any(Date) as Date },
  });
  const warnings = logger.of('warn');
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(`refuses access to ${root} for the user "billing" (digest)`);
  expect(warnings[0]).toContain('password');
  for (let calls = 0; calls < 3; calls++) {
    await expect(locks.acquire('k')).rejects.toMatchObject({
      ...{ code: 'LOCK_ACCESS_DENIED', path: `${root}/k`, username: 'billing', scheme: 'digest' },
      message: expect.stringContaining('for the user "billing" (digest)') as string,
    });
  }
  expect(logger.of('warn', 'error')).toEqual(warnings);
  expect(JSON.stringify([logger.lines, locks.session.snapshot])).not.toContain('guessed');
});

it.each(['does not exist yet', 'all may read'])('is not reported if the root %s', async (kind) => {
  const { root, insider } = await openRestrictedPlace();
  if (kind === 'all may read') await insider.create(root);
  const { locks, logger } = await openLogged({ root, credentials: wrong });
  expect(locks.session.snapshot.refusal).toBeUndefined();
  expect(logger.of('warn').filter((line) => !line.includes('is open to every'))).toEqual([]);
});

it('is found by the first refused call if the root was created later, until a call succeeds', async () => {
  const { root, insider, open } = await openRestrictedPlace();
  const { locks: late, logger } = await openLogged({ root, credentials: wrong });
  expect(late.session.snapshot.refusal).toBeUndefined();
  // Held, because the server may remove the empty directory.
  const held = await (await open()).acquire('k');
  await expect(late.acquire('k')).rejects.toMatchObject({ code: 'LOCK_ACCESS_DENIED' });
  expect(late.session.snapshot.refusal).toMatchObject({ path: `${root}/k`, username: 'billing' });
  await expect(late.acquire('k')).rejects.toMatchObject({ code: 'LOCK_ACCESS_DENIED' });
  expect(logger.of('warn')).toHaveLength(1);
  for (const path of [root, `${root}/k`]) await insider.openToAll(path);
  await held.release();
  await (await late.acquire('k')).release();
  expect(late.session.snapshot.refusal).toBeUndefined();
});
