import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** ZooKeeper's clients and servers use these names whatever the service and the host are. */
const DIGEST_URI = 'zookeeper/zk-sasl-md5';
const COLON = Buffer.from(':');
const FIRST_USE = '00000001';
/** The longest challenge (RFC 2831, section 2.1.1), in bytes. */
const MAX_TOKEN_BYTES = 2_048;

/**
 * The client's side of SASL's DIGEST-MD5 with the quality of protection `auth` (RFC 2831): both sides
 * prove that they know the password, and neither sends it.
 */
export class DigestMd5 {
  readonly #username: string;
  readonly #password: string;
  readonly #cnonce: string;
  #expectedProof = '';

  constructor(username: string, password: string, cnonce = randomBytes(24).toString('base64')) {
    this.#username = username;
    this.#password = password;
    this.#cnonce = cnonce;
  }

  /**
   * The answer to the server's challenge.
   *
   * @throws {Error} if the challenge is too long or malformed, has no nonce, or does not offer the
   * quality of protection `auth`
   */
  answer(challenge: Buffer): Buffer {
    const { realm = '', nonce, qop = 'auth' } = directivesOf(challenge);
    if (!nonce) throw new Error('The SASL challenge has no nonce.');
    if (!qop.split(/[\s,]/).includes('auth')) {
      throw new Error(
        `The SASL challenge must offer the quality of protection "auth"; got "${qop}".`,
      );
    }
    const secret = md5(
      Buffer.concat([
        toBytes(this.#username),
        COLON,
        toBytes(realm),
        COLON,
        toBytes(this.#password),
      ]),
    );
    const session = Buffer.concat([secret, Buffer.from(`:${nonce}:${this.#cnonce}`)]);
    const proofOf = (method: string): string => {
      const parts = [nonce, FIRST_USE, this.#cnonce, 'auth', hex(`${method}:${DIGEST_URI}`)];
      return hex([hex(session), ...parts].join(':'));
    };
    this.#expectedProof = proofOf('');
    return Buffer.from(
      [
        'charset=utf-8',
        `username=${quoted(this.#username)}`,
        `realm=${quoted(realm)}`,
        `nonce=${quoted(nonce)}`,
        `nc=${FIRST_USE}`,
        `cnonce=${quoted(this.#cnonce)}`,
        `digest-uri=${quoted(DIGEST_URI)}`,
        `response=${proofOf('AUTHENTICATE')}`,
        'qop=auth',
      ].join(','),
    );
  }

  /**
   * Whether the server's last token proves that it knows the password, too.
   *
   * @throws {Error} if the token is too long or malformed
   */
  isProof(token: Buffer): boolean {
    const given = Buffer.from(directivesOf(token).rspauth ?? '');
    const expected = Buffer.from(this.#expectedProof);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

/**
 * One `name=value` or `name="value"`, and the comma after it. No part can begin with a character
 * that may end the part before it: a mismatch is found in linear time.
 */
const DIRECTIVE = /[\s,]*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)/sy;

/**
 * The values by name. If a name comes twice, the first counts.
 *
 * @throws {Error} if the token is too long, or has a part that is not a directive
 */
function directivesOf(token: Buffer): Partial<Record<string, string>> {
  if (token.length > MAX_TOKEN_BYTES) {
    throw new Error(`A SASL token may have ${MAX_TOKEN_BYTES} bytes; got ${token.length}.`);
  }
  const text = token.toString().trimEnd();
  const directives = new Map<string, string>();
  DIRECTIVE.lastIndex = 0;
  while (DIRECTIVE.lastIndex < text.length) {
    const at = DIRECTIVE.lastIndex;
    const found = DIRECTIVE.exec(text);
    if (!found) throw new Error(`A SASL token is malformed from character ${at} on.`);
    const [, name = '', quotedValue, value = ''] = found;
    if (!directives.has(name)) directives.set(name, quotedValue?.replace(/\\(.)/gs, '$1') ?? value);
  }
  return Object.fromEntries(directives);
}

/** As RFC 2831 says: ISO 8859-1 if that has all the characters, else UTF-8. */
function toBytes(value: string): Buffer {
  return Buffer.from(value, /^[\0-\xff]*$/.test(value) ? 'latin1' : 'utf8');
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

function md5(value: string | Buffer): Buffer {
  return createHash('md5').update(value).digest();
}

function hex(value: string | Buffer): string {
  return md5(value).toString('hex');
}
