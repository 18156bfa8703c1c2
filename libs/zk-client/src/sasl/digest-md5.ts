import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What ZooKeeper's clients and servers call the service and the host, whatever they are. */
const DIGEST_URI = 'zookeeper/zk-sasl-md5';
const COLON = Buffer.from(':');
const FIRST_USE = '00000001';

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

  /** The answer to the server's challenge. */
  answer(challenge: Buffer): Buffer {
    const { realm = '', nonce = '' } = directivesOf(challenge);
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

  /** Whether the server's last word shows that it knows the password, too. */
  isProof(token: Buffer): boolean {
    const given = Buffer.from(directivesOf(token).rspauth ?? '');
    const expected = Buffer.from(this.#expectedProof);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

/** `name=value` and `name="value"`, with commas between; the first of each name counts. */
function directivesOf(token: Buffer): Partial<Record<string, string>> {
  const directives: Partial<Record<string, string>> = {};
  const pattern = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;
  for (const [, name = '', quotedValue, value] of token.toString().matchAll(pattern)) {
    directives[name] ??= quotedValue?.replace(/\\(.)/g, '$1') ?? value ?? '';
  }
  return directives;
}

/** As RFC 2831 has it: in ISO 8859-1 where that has all the characters, else in UTF-8. */
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
