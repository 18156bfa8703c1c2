import { expect, it, vi } from 'vitest';
import { Member, type MemberGroup } from './member.js';

it('is told of its loss also where somebody else who is told throws', () => {
  const member = new Member({ key: 'k' } as MemberGroup, 'write', 1n);
  member.onSettled(() => {
    throw new Error('of the logger');
  });
  const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => undefined);
  member.lose('node-deleted');
  const [[report] = []] = later.mock.calls;
  later.mockRestore();
  expect(member.signal.aborted).toBe(true);
  expect(report).toThrow('of the logger');
});
