import { createHash } from 'node:crypto';
import { Perms } from 'zk-protocol';

/** One entry of a node's ACL: an identity and its permissions. */
export interface AclEntry {
  readonly permissions: number;
  readonly scheme: string;
  readonly id: string;
}

/** The permissions for one node; the nodes below it have ACLs of their own. */
export type Acl = readonly AclEntry[];

/** All permissions for one user of a scheme, and none for others. */
export function onlyFor(scheme: string, id: string): Acl {
  return [{ permissions: Perms.all, scheme, id }];
}

/** The ACL that permits everything to all clients. */
export const OPEN_ACL = onlyFor('world', 'anyone');

/** Whether every client may do something with a node. */
export function isOpen(acl: Acl): boolean {
  return acl.some(({ scheme }) => scheme === 'world');
}

/**
 * The same permissions, except that to change the ACL. Servers send a session no event of a node that
 * it may not read (since ZooKeeper 3.8.4 and 3.9.2): if the node of a holder could be hidden and then
 * deleted, the holder would not be told.
 */
export function unchangeable(acl: Acl = OPEN_ACL): Acl {
  return acl.map((entry) => ({ ...entry, permissions: entry.permissions & ~Perms.admin }));
}

/** How a user is authenticated: with ZooKeeper's `digest`, or with SASL DIGEST-MD5 (`sasl`). */
export const USER_SCHEMES = ['digest', 'sasl'] as const;
export type UserScheme = (typeof USER_SCHEMES)[number];

/**
 * A user name and its password. Objects that contain one, at any depth, are safe to log or inspect:
 * neither the password nor its hash is a property.
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

  /** The credentials in the scheme `digest`, in clear text. */
  revealDigest(): string {
    return `${this.username}:${this.#password}`;
  }

  /**
   * The ACL of nodes that only this user may access. It does not use the scheme `auth`, which
   * stands for every identity of the connection, such as a certificate that a whole machine shares.
   */
  onlyAcl(): Acl {
    if (this.scheme === 'sasl') return onlyFor('sasl', this.username);
    const hash = createHash('sha1').update(this.revealDigest()).digest('base64');
    return onlyFor('digest', `${this.username}:${hash}`);
  }
}
