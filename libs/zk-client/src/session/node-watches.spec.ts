import { describe, expect, it, vi } from 'vitest';
import { NodeWatches } from './node-watches.js';

const newListener = () => ({ onNodeEvent: vi.fn<(event: string) => void>() });

describe('node watches', () => {
  it('report a gap to all listeners', () => {
    const watches = new NodeWatches();
    const listeners = [newListener(), newListener(), newListener()] as const;
    watches.add('/a', listeners[0]);
    watches.add('/a', listeners[1]);
    watches.add('/b', listeners[2]);
    watches.fireGap();
    for (const { onNodeEvent } of listeners) expect(onNodeEvent.mock.calls).toEqual([['gap']]);
  });

  it('keep nothing for a path without listeners', () => {
    const watches = new NodeWatches();
    const [first, second, alone] = [newListener(), newListener(), newListener()];
    watches.add('/a', first);
    watches.add('/a', second);
    watches.add('/b', alone);
    watches.remove('/a', first);
    watches.fire('/a', 'changed');
    expect(first.onNodeEvent).not.toHaveBeenCalled();
    expect(second.onNodeEvent).toHaveBeenCalledTimes(1);
    watches.remove('/a', second);
    watches.remove('/b', alone);
    expect(watches.size).toBe(0);
    watches.remove('/a', second);
    watches.fire('/a', 'changed');
    expect(second.onNodeEvent).toHaveBeenCalledTimes(1);
  });

  it('cover what a lasting watch reports, until it ends or its connection is gone', () => {
    const watches = new NodeWatches();
    const covered = (): boolean[] => [
      watches.isNodeCovered('/a'),
      watches.areChildrenCovered('/a'),
    ];
    const [flat, deep] = [{ recursive: false }, { recursive: true }];
    expect(covered()).toEqual([false, false]);
    watches.setLasting('/a', flat);
    expect(covered()).toEqual([true, true]);
    watches.setLasting('/a', deep);
    // A child that this session may not read comes and goes without an event.
    expect(covered()).toEqual([true, false]);
    watches.endLasting('/a', flat);
    expect(watches.lastingOn('/a')).toBe(deep);
    watches.endLasting('/a', deep);
    expect(covered()).toEqual([false, false]);
    watches.setLasting('/a', flat);
    watches.endLasting('/a');
    expect(covered()).toEqual([false, false]);
    watches.setLasting('/a', flat);
    watches.connected();
    expect(covered()).toEqual([false, false]);
  });
});
