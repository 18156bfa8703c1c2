import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it, vi } from 'vitest';
import type { LastingWatch } from '../session/node-watches.js';
import type { Session } from '../session/session.js';
import { LastingWatches } from './lasting-watches.js';
import { Traffic } from './traffic.js';
import type { ZnodeEvent } from './znode.js';

const PATH = '/p';

function open() {
  const lasting = new Map<string, LastingWatch>();
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const session = {
    connectedLease: {},
    setLastingListener: () => undefined,
    onState: () => () => undefined,
    lastingWatchOn: (path: string) => lasting.get(path),
    addWatch: (_: unknown, path: string, watch: LastingWatch) => {
      sent.push(watch.recursive ? 'add recursive' : 'add');
      lasting.set(path, watch);
      return Promise.resolve();
    },
    removeWatch: (_: unknown, path: string) => {
      sent.push('remove');
      lasting.delete(path);
      return new Promise<void>((resolve) => answers.push(resolve));
    },
  } as unknown as Session;
  const watches = new LastingWatches(session, new Traffic());
  const watch = (recursive: boolean, onEvent: (event: ZnodeEvent) => void): (() => void) =>
    watches.add(PATH, { recursive, onEvent, onEnd: () => undefined });
  return { watches, watch, sent, answers };
}

it('sets a watch of another kind only once the one before it is removed: a busy server may have both sent again', async () => {
  const { watch, sent, answers } = open();
  const heard: string[] = [];
  watch(false, ({ type }) => heard.push(type));
  await expect.poll(() => heard).toEqual(['gap']);
  watch(true, () => undefined);
  await expect.poll(() => sent).toEqual(['add', 'remove']);
  answers[0]?.();
  await expect.poll(() => sent).toEqual(['add', 'remove', 'add recursive']);
  await expect.poll(() => heard).toEqual(['gap', 'gap']);
});

it('sends no event to a subscriber that another one has stopped during that event', async () => {
  const { watches, watch } = open();
  const heard: string[] = [];
  watch(false, ({ type }) => type === 'changed' && stop());
  const stop = watch(false, ({ type }) => heard.push(type));
  await expect.poll(() => heard).toContain('gap');
  watches.onEvent(PATH, 'changed');
  expect(heard).not.toContain('changed');
});

it('sends a subscriber nothing before its first gap, after which it reads', async () => {
  const { watches, watch } = open();
  const earlier: string[] = [];
  watch(false, ({ type }) => earlier.push(type));
  await expect.poll(() => earlier).toEqual(['gap']);
  const heard: string[] = [];
  watch(false, ({ type }) => heard.push(type));
  watches.onEvent(PATH, 'changed');
  await expect.poll(() => heard).toEqual(['gap']);
  watches.onEvent(PATH, 'deleted');
  expect(heard).toEqual(['gap', 'deleted']);
});

it('looks for subscribers above a node only where a path is short enough to be watched', () => {
  const { watches, watch } = open();
  watch(true, () => undefined);
  const lookUp = vi.spyOn(Map.prototype, 'get');
  watches.onEvent(PATH + '/a'.repeat(8_000), 'changed');
  const lookUps = lookUp.mock.calls.length;
  lookUp.mockRestore();
  expect(lookUps).toBeLessThan(4_096);
});

it('looks at no other subscriber of a path when one comes or goes', async () => {
  const { watches } = open();
  const count = 300;
  const onEvent = vi.fn();
  let looks = 0;
  const subscribe = (): (() => void) =>
    watches.add(PATH, {
      get recursive() {
        looks++;
        return false;
      },
      ...{ onEvent, onEnd: () => undefined },
    });
  const stops = Array.from({ length: count }, subscribe);
  await expect.poll(() => onEvent).toHaveBeenCalledTimes(count);
  for (const stop of stops) stop();
  expect(looks).toBeLessThan(10 * count);
});

it('calls subscribers in the async context in which they subscribed', async () => {
  const { watches, watch } = open();
  const context = new AsyncLocalStorage<string>();
  const heard: unknown[] = [];
  watch(false, ({ type }) => heard.push([type, context.getStore()]));
  await expect.poll(() => heard).toHaveLength(1);
  context.run('section', () => watches.onEvent(PATH, 'changed'));
  await expect.poll(() => heard).toHaveLength(2);
  expect(heard).toEqual([
    ['gap', undefined],
    ['changed', undefined],
  ]);
});
