import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fencingToken, MAX_GRANTS } from './fencing-token.js';

const czxid = fc.bigInt(1n, 2n ** 53n - 1n);
const grant = fc.nat(MAX_GRANTS - 1);

it('rises with every grant under a node, and from each node to all that are created later', () => {
  fc.assert(
    fc.property(czxid, grant, czxid, grant, (z1, g1, z2, g2) => {
      const isBefore = z1 < z2 || (z1 === z2 && g1 < g2);
      expect(fencingToken(z1, g1) < fencingToken(z2, g2)).toBe(isBefore);
    }),
  );
  expect(fencingToken(7n, MAX_GRANTS - 1)).toBeLessThan(fencingToken(8n));
});

it('is a signed 64-bit integer for every zxid that the client reports exactly', () => {
  expect(fencingToken(2n ** 53n - 1n, MAX_GRANTS - 1)).toBeLessThan(2n ** 63n);
});
