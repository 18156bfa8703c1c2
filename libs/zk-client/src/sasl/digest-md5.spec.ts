import { describe, expect, it } from 'vitest';
import { DigestMd5 } from './digest-md5.js';

const challenge = Buffer.from(
  'realm="zk-sasl-md5",nonce="OA6MG9tEQGm2hh",qop="auth",charset=utf-8,algorithm=md5-sess',
);

describe('DigestMd5', () => {
  it('answers the challenge, and knows the proof that the server owes', () => {
    const exchange = new DigestMd5('ann', 'secret', 'OA6MHXh6VqTrRk');
    // By Python's hashlib, step by step as in RFC 2831, section 2.1.2.1.
    expect(exchange.answer(challenge).toString()).toBe(
      'charset=utf-8,username="ann",realm="zk-sasl-md5",nonce="OA6MG9tEQGm2hh",nc=00000001,cnonce="OA6MHXh6VqTrRk",digest-uri="zookeeper/zk-sasl-md5",response=4293981184c27b88be3acaa0b576eabb,qop=auth',
    );
    expect(exchange.isProof(Buffer.from('rspauth=9d8d5ed018bdd2866df7db04b6ab89b0'))).toBe(true);
    expect(exchange.isProof(Buffer.from('rspauth=0123456789abcdef0123456789abcdef'))).toBe(false);
    expect(exchange.isProof(Buffer.alloc(0))).toBe(false);
  });

  it('makes a nonce of its own for each exchange', () => {
    const [a, b] = [new DigestMd5('ann', 'secret'), new DigestMd5('ann', 'secret')];
    expect(a.answer(challenge)).not.toEqual(b.answer(challenge));
  });

  it('takes quoted values with commas and quotes in them', () => {
    const odd = Buffer.from(String.raw`nonce="a,b\"c" , realm="r, s"`);
    expect(new DigestMd5('a"nn', 's').answer(odd).toString()).toContain(
      String.raw`username="a\"nn",realm="r, s",nonce="a,b\"c"`,
    );
  });
});
