import { describe, expect, it, vi } from 'vitest';
import { RecordingLogger } from '../../../../test/support/recording-logger.js';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import { Access } from './access.js';
import type { SessionLease } from './session-lease.js';

const noAuth = new ZooKeeperError(ReturnCode.noAuth, 'get', '/locks');

function newAccess() {
  const logger = new RecordingLogger();
  return { logger, access: new Access({ username: 'u', scheme: 'digest' }, '/locks', logger) };
}

type Step = (access: Access) => void;
const hidden: Step = (access) => access.rootRead(true);
const shown: Step = (access) => access.rootRead(false);
const refused: Step = (access) => access.callRefused('/locks/k');
const served: Step = (access) => access.callSucceeded();

describe('access', () => {
  it.each<[state: string, where: string | undefined, steps: Step[], warnings: number]>([
    ['granted while the root is readable', undefined, [shown], 0],
    ['refused where the root is hidden', '/locks', [hidden, hidden], 1],
    ['granted again once the root is readable', undefined, [hidden, shown], 1],
    ['refused anew where the root is hidden again', '/locks', [hidden, shown, hidden], 2],
    ['refused by a call', '/locks/k', [shown, refused, refused], 1],
    ['refused by a call although the root is readable', '/locks/k', [refused, shown], 1],
    ['granted by a call', undefined, [refused, served], 1],
    ['granted by a call although the root is hidden', undefined, [hidden, served, hidden], 1],
    ['refused by a later call', '/locks/k', [hidden, served, refused], 2],
    [
      'refused by a call although a root is readable that was hidden since',
      '/locks/k',
      [refused, hidden, shown],
      1,
    ],
    [
      'refused by a call although a root is readable that was hidden before',
      '/locks/k',
      [hidden, served, refused, shown],
      2,
    ],
    ['refused in turns, of which one line tells', '/locks/k', [refused, served, refused], 1],
  ])('is %s', (_, where, steps, warnings) => {
    const { access, logger } = newAccess();
    for (const step of steps) step(access);
    expect(access.refusal?.path).toBe(where);
    expect(logger.of('warn')).toHaveLength(warnings);
  });
});

it('asks again only once the latest question was answered', async () => {
  const { access } = newAccess();
  hidden(access);
  const answers: (() => void)[] = [];
  const get = vi.fn(() => new Promise<never>((_, reject) => answers.push(() => reject(noAuth))));
  const ask = () => access.askAgain({ get, transact: vi.fn() }, {} as SessionLease);
  const asked = [ask(), ask()];
  expect(get).toHaveBeenCalledOnce();
  answers[0]?.();
  await Promise.all(asked);
  void ask();
  expect(get).toHaveBeenCalledTimes(2);
});
