import { describe, expect, it } from 'vitest';
import { DigestMd5 } from './digest-md5.js';

const challenge = Buffer.from(
  'realm="zk-sasl-md5",nonce="OA6MG9tEQGm2hh",qop="auth",charset=utf-8,algorithm=md5-sess',
);

describe('DigestMd5', () => {
  it('answers the challenge, and checks the proof of the server', () => {
    const exchange = new DigestMd5('ann', 'secret', 'OA6MHXh6VqTrRk');
    // By Python's hashlib, step by step as in RFC 2831, section 2.1.2.1.
    expect(exchange.answer(challenge).toString()).toBe(
      'charset=utf-8,username="ann",realm="zk-sasl-md5",nonce="OA6MG9tEQGm2hh",nc=00000001,cnonce="OA6MHXh6VqTrRk",digest-uri="zookeeper/zk-sasl-md5",response=4293981184c27b88be3acaa0b576eabb,qop=auth',
    );
    expect(exchange.isProof(Buffer.from('rspauth=9d8d5ed018bdd2866df7db04b6ab89b0'))).toBe(true);
    expect(exchange.isProof(Buffer.from('rspauth=0123456789abcdef0123456789abcdef'))).toBe(false);
    expect(exchange.isProof(Buffer.alloc(0))).toBe(false);
  });

  const ann = (): DigestMd5 => new DigestMd5('ann', 'secret');
  const spacious = Buffer.from('nonce="abc"'.padEnd(2_048, ' '));

  it('accepts a challenge of 2,048 bytes, and refuses a longer one without parsing it', () => {
    expect(ann().answer(spacious).toString()).toContain('nonce="abc"');
    const longer = Buffer.concat([spacious, Buffer.from(' ')]);
    expect(() => ann().answer(longer)).toThrow('2048 bytes; got 2049');
    expect(() => ann().isProof(longer)).toThrow('2048 bytes; got 2049');
    // A long name without a "=" after it.
    const hostile = Buffer.from(`nonce="abc",${'a'.repeat(60_000)}`);
    expect(() => ann().answer(hostile)).toThrow('2048 bytes; got 60012');
  });

  it.each([
    ['no nonce', 'realm="r",qop="auth"', 'has no nonce'],
    ['an empty nonce', 'nonce="",qop="auth"', 'has no nonce'],
    ['nothing', '', 'has no nonce'],
    ['a qop without auth', 'nonce="n",qop="auth-int,auth-conf"', 'got "auth-int,auth-conf"'],
    ['an empty qop', 'nonce="n",qop=""', '"auth"; got ""'],
    ['a name without a value', `nonce="n",${'a'.repeat(2_000)}`, 'malformed from character 10 on'],
    ['a quote that stays open', `nonce="n",realm="${'\\"'.repeat(900)}`, 'malformed'],
    ['values without a comma', 'nonce="n" realm="r"', 'malformed from character 0 on'],
  ])('refuses a challenge with %s', (_, text, problem) => {
    expect(() => ann().answer(Buffer.from(text))).toThrow(problem);
  });

  it.each([
    ['auth among others', 'nonce="n",qop="auth-int, auth"'],
    ['no qop, which stands for auth', 'nonce="n"'],
    ['empty elements', ' ,nonce="n",, qop=auth ,'],
    ['names of what every object has', 'constructor=1,__proto__=2,nonce="n"'],
  ])('accepts a challenge with %s', (_, text) => {
    expect(ann().answer(Buffer.from(text)).toString()).toContain('nonce="n"');
  });
});
