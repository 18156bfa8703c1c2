import { expect } from 'vitest';
import type { ReadFrame } from '../../libs/zk-protocol/src/testing/read-along.js';

/** The frame holds nothing that was not read, and what was read is written as its sender did. */
export function expectCanonical({ is, bytes, rewritten, unread }: ReadFrame): void {
  expect({ is, unread, hex: rewritten.toString('hex') }).toEqual({
    ...{ is, unread: 0, hex: bytes.toString('hex') },
  });
}
