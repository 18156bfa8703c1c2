import { expect, it } from 'vitest';
import type { SessionLease } from '../session/session-lease.js';
import { countNode, reserveNode, uncountNode } from './session-nodes.js';

const newLease = (): SessionLease => ({}) as SessionLease;
/** Of 1,000 bytes in the transaction. */
const pathOf = (number: number): string => `/${String(number).padStart(995, '0')}`;

function fill(lease: SessionLease): void {
  for (let number = 0; number < 1_000; number++) void reserveNode(lease, pathOf(number));
}

it('says how full the session is, what the limit is for, and what to do', () => {
  const lease = newLease();
  fill(lease);
  uncountNode(lease, pathOf(7));
  const refused = () => reserveNode(lease, `${pathOf(7)}0`);
  expect(refused).toThrow(
    /^ZooKeeper create \/0.*: too many ephemeral nodes in one session \(-128\)\. /,
  );
  expect(refused).toThrow(
    / It was not sent: the paths of this session's 999 nodes take 999000 of 1000000 bytes, and servers cannot process .* Delete ephemeral znodes or release locks before you create others, shorten `keepMs` \(kept locks also count\), .* second connection\. See /,
  );
});

it('counts a node once, however often it is reported', () => {
  const lease = newLease();
  fill(lease);
  countNode(lease, pathOf(7));
  expect(() => reserveNode(lease, pathOf(7))).not.toThrow();
  for (let time = 0; time < 2; time++) uncountNode(lease, pathOf(7));
  void reserveNode(lease, pathOf(7));
  expect(() => reserveNode(lease, '/k')).toThrow(/too many/);
});
