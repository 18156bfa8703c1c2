import { expect, it } from 'vitest';
import { VERSION } from '../../libs/zk-embedded/src/net/four-letter-words.js';
import {
  canLoseTransactions,
  readStatus,
} from '../../libs/zk-lock-cli/src/doctor/server-status.js';

it('reports a version that "zk-lock doctor" does not advise to upgrade', () => {
  const status = readStatus(`Zookeeper version: ${VERSION}\nMode: standalone\n`);
  if (status.kind !== 'serving') throw new Error(`It is ${status.kind}.`);
  expect(canLoseTransactions(status.version)).toBe(false);
});
