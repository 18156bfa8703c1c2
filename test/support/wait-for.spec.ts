import { describe, expect, it } from 'vitest';
import { waitFor } from './wait-for.js';

describe('waitFor', () => {
  it('returns the first truthy value', async () => {
    const values = [undefined, 0, '', 'found'];
    await expect(waitFor(() => values.shift(), { what: 'a value', intervalMs: 1 })).resolves.toBe(
      'found',
    );
  });

  it('takes a condition that throws as not yet', async () => {
    let tries = 0;
    const condition = (): boolean => {
      if (++tries < 3) throw new Error('not yet');
      return true;
    };
    await expect(waitFor(condition, { what: 'luck', intervalMs: 1 })).resolves.toBe(true);
  });

  it('says what it waited for and why it gave up', async () => {
    const reason = new Error('no such node');
    const failing = waitFor(
      () => {
        throw reason;
      },
      { what: 'the node', timeoutMs: 5, intervalMs: 1 },
    );
    await expect(failing).rejects.toThrow('waited 5 ms for the node; it threw last');
    await expect(failing).rejects.toHaveProperty('cause', reason);
  });

  it('says what it saw last', async () => {
    await expect(waitFor(() => 0, { what: 'a count', timeoutMs: 5 })).rejects.toThrow(
      'waited 5 ms for a count; last seen: 0',
    );
  });
});
