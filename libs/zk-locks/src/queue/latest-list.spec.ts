import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Session, SessionLease } from 'zk-client/recipes';
import { expect, it } from 'vitest';
import { dialectOf } from '../nodes/dialect.js';
import { LatestList } from './latest-list.js';

const FEW = 100;
const MANY = 2_100;

function namesOf(count: number): string[] {
  return Array.from(
    { length: count },
    (_, number) => `_c_${randomUUID()}-__WRIT__${String(number).padStart(10, '0')}`,
  );
}

/** Of a session that answers lists one after the other. */
function open() {
  let onListed!: () => void;
  const listed = new Promise<void>((resolve) => (onListed = resolve));
  const lease = {} as SessionLease;
  const answers: ((names: readonly string[]) => void)[] = [];
  const session = {
    connectedLease: lease,
    list: () => new Promise((resolve) => answers.push(resolve)),
  } as unknown as Session;
  const list = new LatestList({
    ...{ session, lease, directory: '/k', dialect: dialectOf('curator-rw') },
    onListed,
    onListRefused: (error) => expect.unreachable(error.message),
  });
  return { list, listed, answer: (names: readonly string[]) => answers.shift()!(names) };
}

it.each([FEW, MANY])('reports a list of %i names after earlier answers', async (count) => {
  const told: string[] = [];
  const { list, listed, answer } = open();
  list.want();
  await nextTurn();
  let earlier = Promise.resolve();
  for (let reaction = 0; reaction < 30; reaction++) earlier = earlier.then(() => undefined);
  void earlier.then(() => told.push('earlier answer'));
  answer(namesOf(count));
  await listed.then(() => told.push('list'));
  expect(told).toEqual(['earlier answer', 'list']);
});

it('stops reading long lists that are no longer wanted', async () => {
  let read = 0;
  const names = namesOf(10 * MANY);
  const counting = new Proxy(names, {
    get: (target, name, receiver) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) read++;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const { list, listed, answer } = open();
  for (let time = 0; time < 20; time++) {
    list.forget();
    list.want();
    await nextTurn();
    answer(counting);
  }
  await listed;
  expect(read).toBeLessThan(5 * names.length);
});
