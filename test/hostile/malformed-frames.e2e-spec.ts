import { expect, it } from 'vitest';
import { encodeWatcherEvent, OpCode } from 'zk-protocol';
import { waitFor } from '../support/wait-for.js';
import { LiedTo, useLiedTo } from './support/lied-to.js';
import { about, cutAfter, patched, truncated } from './support/lies.js';
import type { Lie } from './support/lying-server.js';

/** Unsolicited bytes. */
const NOISE: readonly [what: string, bytes: Buffer][] = [
  [
    'an event of a path without a watch',
    encodeWatcherEvent({ type: 2, state: 3, path: '/unwatched' }),
  ],
  ['an event of an unknown type', encodeWatcherEvent({ type: 99, state: 3, path: '/unwatched' })],
  ['the beginning of a frame of 2 GB', Buffer.from([0x7f, 0xff, 0xff, 0xff, 1, 2, 3])],
  ['a frame of negative length', Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2, 3])],
  ['half of a frame', Buffer.from([0, 0, 0, 64, 1, 2, 3])],
];

const told = useLiedTo({ client: 'wire' });

async function survive(story: LiedTo, bytes: Buffer): Promise<void> {
  const { lock } = await story.hold();
  story.server.send(bytes);
  await waitFor(async () => (await story.worker.session()).state.name === 'connected', {
    what: 'a connection',
  });
  await story.worker.release(lock);
  await story.expectRecovery();
  expect(story.worker.hasExited).toBe(false);
}

it.each(NOISE)('survives %s', (_, bytes) => survive(told.story, bytes));

/** npm `zookeeper` reads frames in C, and does not survive the other ones. */
it('survives an event of a path without a watch, with npm `zookeeper`', async () => {
  await using story = await LiedTo.start({ client: 'native' });
  await survive(story, NOISE[0]![1]);
});

/** Sent after the answer to a heartbeat, when no other answer is due. */
const unasked = about(OpCode.delete, ({ bytes }) => [
  bytes,
  ...patched(bytes, (copy) => copy.writeInt32BE(7_777, 0)),
]);

const MALFORMED: readonly (readonly [what: string, lie: Lie])[] = [
  ['an answer without a request', unasked],
  ['a list that breaks off in a name', truncated(OpCode.getChildren, 10)],
  ['a list without its names', cutAfter(OpCode.getChildren, 4)],
  ['a list without its length', cutAfter(OpCode.getChildren, 0)],
  ['data that break off', truncated(OpCode.getData, 3)],
  ['the path of a created node that breaks off', truncated(OpCode.create2, 6)],
];

it.each(MALFORMED)('zk-client survives %s', async (_, lie) => {
  const { story } = told;
  const { lock } = await story.hold();
  story.server.lie = lie;
  await story.tryToLock();
  await story.expectRecovery();
  // The lock may have been lost.
  await story.worker.release(lock).catch(() => undefined);
});
