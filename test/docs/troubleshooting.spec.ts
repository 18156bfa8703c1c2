import { readdirSync, readFileSync } from 'node:fs';
import { LockTimeoutError, Locked, ZkLockError, ZooKeeperError } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import { anchorsIn } from '../support/documentation.js';

const sources = ['zk-client', 'zk-locks', 'nestjs-zk-lock'].map(
  (library) => new URL(`../../libs/${library}/src/`, import.meta.url),
);
const page = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8');

const ownCodes = sources.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .flatMap((path) =>
      Array.from(
        readFileSync(new URL(path, folder), 'utf8').matchAll(/readonly code = '(\w+)'/g),
        ([, code]) => code,
      ),
    ),
);
/** The codes of errors for all of ZooKeeper's return codes. */
const serverCodes = new Set(
  Array.from({ length: 200 }, (_, number) => new ZooKeeperError(-number, 'get', '/').code),
);
const codes = [...ownCodes, ...serverCodes];

it('has one section for each code, and no others', () => {
  const sections = Array.from(page.matchAll(/^### `(\w+)`$/gm), ([, code]) => code);
  expect(codes.length).toBeGreaterThan(40);
  expect(sections.toSorted()).toEqual(codes.toSorted());
});

it('has one row for each code of our own in its table', () => {
  const rows = Array.from(page.matchAll(/^\| \[`(\w+)`\]/gm), ([, code]) => code);
  expect(rows.toSorted()).toEqual(ownCodes.toSorted());
});

it.each([
  new LockTimeoutError('order:42', 'write', 100),
  new ZooKeeperError(-4, 'get', '/locks'),
  new ZooKeeperError(-999, 'get', '/locks'),
])('is the page that the message of $code names', (error) => {
  const [, anchor = ''] = / See nestjs-zk-lock\/docs\/troubleshooting\.md#(\S+)$/.exec(
    error.message,
  )!;
  expect(anchor).toBe(error.code.toLowerCase());
  expect(anchorsIn(page)).toContain(anchor);
});

it('is linked once if one error repeats the message of another', () => {
  const decorate = (): unknown => {
    class Service {
      @Locked('')
      async work(): Promise<void> {}
    }
    return Service;
  };
  expect(decorate).toThrow(/ See nestjs-zk-lock\S+#locked_decorator_invalid$/);
  expect(decorate).not.toThrow(/#lock_key_invalid/);
});

it('is not named by errors of other classes', () => {
  class OwnError extends ZkLockError {
    readonly code = 'OWN';
  }
  expect(new OwnError('no more tea').message).toBe('no more tea');
});
