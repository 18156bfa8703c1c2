import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { listenForAbort, unlistenForAbort } from './listeners.js';

const open = () => {
  const controller = new AbortController();
  const { signal } = controller;
  const told: number[] = [];
  const listeners = Array.from({ length: 20 }, (_, index) => ({
    handleEvent: () => void told.push(index),
  }));
  for (const listener of listeners) listenForAbort(signal, listener);
  return { controller, signal, told, listeners };
};

it('sets one listener on a signal that many calls share, and notifies each of them once', () => {
  const { controller, signal, told, listeners } = open();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  unlistenForAbort(signal, listeners[3]!);
  controller.abort();
  expect(told).toEqual([...listeners.keys()].filter((index) => index !== 3));
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

it('leaves nothing on a signal that no call listens to any more', () => {
  const { controller, signal, told, listeners } = open();
  for (const listener of listeners) unlistenForAbort(signal, listener);
  unlistenForAbort(signal, listeners[0]!);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  listenForAbort(signal, listeners[7]!);
  controller.abort();
  expect(told).toEqual([7]);
});
