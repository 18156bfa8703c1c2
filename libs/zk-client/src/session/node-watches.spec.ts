import { describe, expect, it, vi } from 'vitest';
import { NodeWatches } from './node-watches.js';

const newListener = () => ({ onNodeEvent: vi.fn<(event: string) => void>() });

describe('node watches', () => {
  it('tell all listeners of the path, and no others', () => {
    const watches = new NodeWatches();
    const [first, second, third, other] = [
      newListener(),
      newListener(),
      newListener(),
      newListener(),
    ];
    for (const listener of [first, second, third]) watches.add('/a', listener);
    watches.add('/b', other);
    watches.fire('/a', 'deleted');
    for (const { onNodeEvent } of [first, second, third]) {
      expect(onNodeEvent.mock.calls).toEqual([['deleted']]);
    }
    expect(other.onNodeEvent).not.toHaveBeenCalled();
  });

  it('tell everybody of a gap', () => {
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

  it('keep listeners when one leaves that never listened', () => {
    const watches = new NodeWatches();
    const [first, stranger] = [newListener(), newListener()];
    watches.add('/a', first);
    watches.remove('/a', stranger);
    watches.fire('/a', 'deleted');
    expect(first.onNodeEvent).toHaveBeenCalledTimes(1);
  });

  it('let a listener leave while they are told', () => {
    const watches = new NodeWatches();
    const second = newListener();
    watches.add('/a', { onNodeEvent: () => watches.remove('/a', second) });
    watches.add('/a', second);
    watches.fire('/a', 'deleted');
    watches.fire('/a', 'deleted');
    expect(second.onNodeEvent).toHaveBeenCalledTimes(1);
  });

  it('do not tell of a gap to listeners that have left', () => {
    const watches = new NodeWatches();
    const second = newListener();
    watches.add('/a', { onNodeEvent: () => watches.remove('/b', second) });
    watches.add('/b', second);
    watches.fireGap();
    expect(second.onNodeEvent).not.toHaveBeenCalled();
  });

  it('know the read that has set a watch, until that fires, fails, or its connection is gone', async () => {
    const watches = new NodeWatches();
    watches.add('/a', newListener());
    const read = Promise.resolve('data');
    expect(watches.readOf('/a')).toBeUndefined();
    expect(watches.trackRead('/a', read)).toBe(read);
    expect(watches.readOf('/a')).toBe(read);
    await read;
    // What was read is not kept with it.
    expect(await watches.readOf('/a')).toBeUndefined();
    expect(watches.readOf('/a')).toBeDefined();
    watches.fire('/a', 'changed');
    expect(watches.readOf('/a')).toBeUndefined();

    const refused = Promise.reject(new Error('no node'));
    await expect(watches.trackRead('/a', refused)).rejects.toThrow('no node');
    expect(watches.readOf('/a')).toBeUndefined();

    void watches.trackRead('/a', read);
    watches.connected();
    expect(watches.readOf('/a')).toBeUndefined();
  });

  it('keep no read that a later one has replaced, or that has no listener behind it', async () => {
    const watches = new NodeWatches();
    const listener = newListener();
    const read = Promise.resolve();
    void watches.trackRead('/a', read);
    expect(watches.readOf('/a')).toBeUndefined();
    watches.add('/a', listener);
    const refused = Promise.reject(new Error('no connection'));
    void watches.trackRead('/a', refused).catch(() => undefined);
    void watches.trackRead('/a', read);
    await expect(refused).rejects.toThrow();
    expect(watches.readOf('/a')).toBeDefined();
    watches.remove('/a', listener);
    expect(watches.readOf('/a')).toBeUndefined();
  });

  it('cover what a lasting watch tells of, until it is ended or its connection is gone', () => {
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
