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
