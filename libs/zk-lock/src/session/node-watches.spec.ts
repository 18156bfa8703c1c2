import { describe, expect, it, vi } from 'vitest';
import { NodeWatches } from './node-watches.js';

describe('node watches', () => {
  it('tell everybody who listens on the path, and nobody else', () => {
    const watches = new NodeWatches();
    const [first, second, other] = [vi.fn(), vi.fn(), vi.fn()];
    watches.add('/a', first);
    watches.add('/a', second);
    watches.add('/b', other);
    watches.fire('/a', 'deleted');
    expect(first).toHaveBeenCalledWith('deleted');
    expect(second).toHaveBeenCalledWith('deleted');
    expect(other).not.toHaveBeenCalled();
  });

  it('tell everybody of a gap', () => {
    const watches = new NodeWatches();
    const [first, second] = [vi.fn(), vi.fn()];
    watches.add('/a', first);
    watches.add('/b', second);
    watches.fireGap();
    expect(first.mock.calls).toEqual([['gap']]);
    expect(second.mock.calls).toEqual([['gap']]);
  });

  it('keep nothing for a path that nobody listens on any more', () => {
    const watches = new NodeWatches();
    const stops = [watches.add('/a', vi.fn()), watches.add('/a', vi.fn())];
    for (const stop of stops) stop();
    expect(watches.size).toBe(0);
    stops[0]?.();
    watches.fire('/a', 'changed');
  });

  it('let a listener leave while they are told', () => {
    const watches = new NodeWatches();
    const second = vi.fn();
    let leave = (): void => undefined;
    watches.add('/a', () => leave());
    leave = watches.add('/a', second);
    watches.fire('/a', 'deleted');
    watches.fire('/a', 'deleted');
    expect(second).toHaveBeenCalledTimes(1);
  });
});
