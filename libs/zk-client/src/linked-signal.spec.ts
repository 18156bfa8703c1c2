import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { LinkedSignal } from './listeners.js';

const sources = (): AbortController[] => [new AbortController(), new AbortController()];
const signalsOf = (controllers: readonly AbortController[]): AbortSignal[] =>
  controllers.map(({ signal }) => signal);
const listeners = (controllers: readonly AbortController[]): number[] =>
  signalsOf(controllers).map((signal) => getEventListeners(signal, 'abort').length);

it.each([0, 1])('aborts with the reason of the first that does (%i)', (first) => {
  const controllers = sources();
  const { signal } = new LinkedSignal(signalsOf(controllers));
  expect(signal.aborted).toBe(false);
  controllers[first]?.abort('enough');
  controllers[1 - first]?.abort('too late');
  expect(signal).toMatchObject({ aborted: true, reason: 'enough' });
});

it('is aborted from the start where one of them is', () => {
  const controllers = sources();
  controllers[1]?.abort('before');
  const { signal } = new LinkedSignal(signalsOf(controllers));
  expect(signal).toMatchObject({ aborted: true, reason: 'before' });
  expect(listeners(controllers)).toEqual([0, 0]);
});

it('leaves nothing with any of them once one has aborted', () => {
  const controllers = sources();
  new LinkedSignal(signalsOf(controllers));
  expect(listeners(controllers)).toEqual([1, 1]);
  controllers[0]?.abort();
  expect(listeners(controllers)).toEqual([0, 0]);
});

it('leaves nothing with any of them, and follows none, once it is disposed of', () => {
  const controllers = sources();
  const link = new LinkedSignal(signalsOf(controllers));
  link[Symbol.dispose]();
  expect(listeners(controllers)).toEqual([0, 0]);
  for (const controller of controllers) controller.abort();
  expect(link.signal.aborted).toBe(false);
});

it('can be aborted by its owner, and leaves nothing then', () => {
  const controllers = sources();
  const link = new LinkedSignal(signalsOf(controllers));
  link.abort('gone');
  expect(link.signal).toMatchObject({ aborted: true, reason: 'gone' });
  expect(listeners(controllers)).toEqual([0, 0]);
});
