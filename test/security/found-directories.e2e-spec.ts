import { expect, it } from 'vitest';
import { openInspector, reconnect, openLogged } from '../support/locks.js';
import { credentials, openRestrictedPlace } from './support/place.js';
import { openProxy } from '../support/open-proxy.js';

const client = 'wire';

it('gives one warning on connecting if a root already exists and is open', async () => {
  const { root } = await openRestrictedPlace();
  const anonymous = await openInspector();
  await anonymous.create(root);
  const proxy = await openProxy();
  const servers = proxy.connectString;
  const { locks, logger } = await openLogged({ root, credentials, servers, client });
  const ofRoot = (): string[] =>
    logger.of('warn').filter((line) => line.includes('is open to every'));
  expect(ofRoot()).toHaveLength(1);
  await reconnect(proxy, locks);
  await locks.withLock('k', () => undefined);
  expect(ofRoot()).toHaveLength(1);
});

it('works in an open root that already exists, and restricts what it creates there', async () => {
  const { root, insider, outsiders } = await openRestrictedPlace();
  const anonymous = await openInspector();
  await anonymous.create(root);
  const { locks, logger } = await openLogged({ root, credentials, client });
  await using first = await locks.acquire('a');
  await using second = await locks.acquire('b');
  await locks.withLock('a b', () => undefined);
  expect([first.isHeld, second.isHeld]).toEqual([true, true]);
  const warnings = logger.of('warn');
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(
    new RegExp(
      `^warn: ${root} is open to every client.*setAcl -R ${root} auth::cdrwa.*acl: 'open'`,
    ),
  );
  expect(warnings[0]).not.toContain('\n');
  // An existing directory keeps the ACL that its owner chose.
  expect(await anonymous.children(root)).toEqual(expect.arrayContaining(['a', 'b']));
  expect(await outsiders.deedsBelow(`${root}/a`)).toEqual([]);
  expect((await insider.tree(root)).length).toBeGreaterThanOrEqual(4);
});
