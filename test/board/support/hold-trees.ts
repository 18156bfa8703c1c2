import { onTestFinished, vi } from 'vitest';
import { LockTree } from 'zk-locks/inspect';
import { Gate } from '../../nest/support/gate.js';

/** Holds back all reads of trees until the gate is opened, or the test ends. */
export function holdTrees(): Gate {
  const gate = new Gate();
  const read = Reflect.get(LockTree.prototype, 'read');
  const reads = vi.spyOn(LockTree.prototype, 'read').mockImplementation(async function (
    this: LockTree,
  ) {
    await gate.pass();
    return read.call(this);
  });
  onTestFinished(() => {
    gate.open();
    reads.mockRestore();
  });
  return gate;
}

/** Holds back the results of all reads of trees, once they are complete, until the gate is opened, or the test ends. */
export function holdResults(): Gate {
  const gate = new Gate();
  const look = Reflect.get(LockTree.prototype, 'look');
  const looks = vi.spyOn(LockTree.prototype, 'look').mockImplementation(async function (
    this: LockTree,
  ) {
    const sight = await look.call(this);
    await gate.pass();
    return sight;
  });
  onTestFinished(() => {
    gate.open();
    looks.mockRestore();
  });
  return gate;
}
