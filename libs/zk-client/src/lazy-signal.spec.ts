import { expect, it } from 'vitest';
import { LazySignal } from './listeners.js';

it('has a signal that aborts with it', () => {
  const lazy = new LazySignal<string>();
  const { signal } = lazy;
  expect([lazy.aborted, signal.aborted]).toEqual([false, false]);
  lazy.abort('enough');
  lazy.abort('later');
  expect(lazy).toMatchObject({ aborted: true, reason: 'enough' });
  expect(signal).toMatchObject({ aborted: true, reason: 'enough' });
  expect(lazy.signal).toBe(signal);
});

it('has an aborted signal if it was not read before the abort', () => {
  const lazy = new LazySignal<string | undefined>();
  lazy.abort(undefined);
  lazy.abort('later');
  expect(lazy.reason).toBeUndefined();
  expect(lazy.signal.aborted).toBe(true);
});

it('may be listened to by any number', () => {
  const warnings: unknown[] = [];
  const onWarning = (warning: unknown): number => warnings.push(warning);
  process.on('warning', onWarning);
  const lazy = new LazySignal<string>();
  let told = 0;
  for (let i = 0; i < 20; i++) lazy.signal.addEventListener('abort', () => told++);
  lazy.abort('enough');
  process.off('warning', onWarning);
  expect([told, warnings]).toEqual([20, []]);
});
