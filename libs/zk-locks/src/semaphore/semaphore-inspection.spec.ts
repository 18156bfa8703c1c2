import { expect, it } from 'vitest';
import { heldLeases } from './semaphore-inspection.js';

const lease = (sequence: string): string =>
  `_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-lease-${sequence}`;
const [first, second, third] = ['0000000001', '0000000002', '0000000003'].map(lease) as [
  string,
  string,
  string,
];

it.each([
  { name: 'all, the oldest first', permits: 3, wanted: undefined, held: [first, second, third] },
  { name: 'all where they are permitted', permits: 3, wanted: 1, held: [first, second, third] },
  {
    name: 'not what the head of the queue waits for',
    permits: 2,
    wanted: 1,
    held: [first, second],
  },
  { name: 'none of several that it waits for', permits: 2, wanted: 2, held: [first] },
  {
    name: 'more than are permitted since there are fewer',
    permits: 1,
    wanted: undefined,
    held: [first, second, third],
  },
])('are $name', ({ permits, wanted, held }) => {
  expect(heldLeases([third, first, second], permits, wanted)).toEqual(held);
});
