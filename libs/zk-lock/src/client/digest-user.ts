import { createHash } from 'node:crypto';
import { type Acl, onlyFor } from './acl.js';

/**
 * A user of ZooKeeper's `digest` scheme. Objects that hold one can be logged and inspected at any
 * depth: neither the password nor what it is hashed to is a property of anything.
 */
export class DigestUser {
  readonly #username: string;
  readonly #password: string;

  constructor(username: string, password: string) {
    this.#username = username;
    this.#password = password;
  }

  /** What a server is told, in clear text. */
  reveal(): string {
    return `${this.#username}:${this.#password}`;
  }

  /**
   * The ACL of nodes that are for this user alone. By its hash, not by the scheme `auth`, which
   * stands for all that a connection has proved: a certificate that others have as well, for example.
   */
  onlyAcl(): Acl {
    const hash = createHash('sha1').update(this.reveal()).digest('base64');
    return onlyFor(`${this.#username}:${hash}`);
  }
}
