import type { User, UserScheme } from './user.js';

/** How ZooKeeper identifies a client. Contains no secret. */
export interface Identity {
  /** The user of `credentials`. */
  readonly username?: string | undefined;
  /** `x509` for a client with only a certificate. Undefined if ZooKeeper knows only its address. */
  readonly scheme?: UserScheme | 'x509' | undefined;
}

export function identityOf(user: User | undefined, hasCertificate = false): Identity {
  if (user) return { username: user.username, scheme: user.scheme };
  return hasCertificate ? { scheme: 'x509' } : {};
}

/** The identity in messages, after "for". */
export function nameIdentity({ username, scheme }: Identity): string {
  if (username !== undefined) return `the user "${username}" (${scheme ?? 'digest'})`;
  return scheme === 'x509'
    ? 'this client, which has a certificate (x509) but no credentials'
    : 'this client, which has no credentials';
}

/** What to do when an ACL refuses this client, in sentences. */
export function accessRemedy({ username, scheme }: Identity): string {
  if (username === undefined) return 'Set `credentials` to the user of these locks.';
  const rights = 'The ACL there must give this user the permissions read, create and delete.';
  return scheme === 'sasl'
    ? `Check the \`credentials\` option. ${rights}`
    : `Check the password and the \`credentials\` option: ZooKeeper accepts a wrong password without an error, and then refuses access. ${rights}`;
}
