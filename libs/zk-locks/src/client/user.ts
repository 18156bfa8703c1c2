import { createHash } from 'node:crypto';

/** All of ZooKeeper's permission bits. */
const ALL = 31;

/** One entry of a node's ACL: who may do what there. */
export interface AclEntry {
  readonly permissions: number;
  readonly scheme: string;
  readonly id: string;
}

/** Who may do what with one node; what is below has ACLs of its own. */
export type Acl = readonly AclEntry[];

/** All permissions for one user of a scheme, and none for anybody else. */
export function onlyFor(scheme: string, id: string): Acl {
  return [{ permissions: ALL, scheme, id }];
}

/** How a user shows who he is: ZooKeeper's own `digest`, or SASL's DIGEST-MD5. */
export const USER_SCHEMES = ['digest', 'sasl'] as const;
export type UserScheme = (typeof USER_SCHEMES)[number];

/**
 * Somebody with a password. Objects that hold one can be logged and inspected at any depth: neither
 * the password nor what it is hashed to is a property of anything.
 */
export class User {
  readonly #password: string;

  constructor(
    readonly scheme: UserScheme,
    readonly username: string,
    password: string,
  ) {
    this.#password = password;
  }

  /** In clear text. */
  revealPassword(): string {
    return this.#password;
  }

  /** What a server is told in the scheme `digest`, in clear text. */
  revealDigest(): string {
    return `${this.username}:${this.#password}`;
  }

  /**
   * The ACL of nodes that are for this user alone. Not by the scheme `auth`, which stands for all
   * that a connection has proved: a certificate that others have as well, for example.
   */
  onlyAcl(): Acl {
    if (this.scheme === 'sasl') return onlyFor('sasl', this.username);
    const hash = createHash('sha1').update(this.revealDigest()).digest('base64');
    return onlyFor('digest', `${this.username}:${hash}`);
  }
}
