import { expect, it } from 'vitest';
import { LOCK_CHANNELS } from './channels.js';

it('names the channels after the package that publishes on them', () => {
  const names = Object.values(LOCK_CHANNELS);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^zk-locks:[a-z]+(:[a-z]+)?$/);
});
