import { createHash } from 'node:crypto';
import type { Id } from 'zk-protocol';

/** The id of the `digest` scheme for credentials `user:password`, as ACLs and connections have it. */
export function digestIdentity(credentials: string): Id {
  const [user = ''] = credentials.split(':', 1);
  const hash = createHash('sha1').update(credentials).digest('base64');
  return { scheme: 'digest', id: `${user}:${hash}` };
}

/**
 * The identity that these credentials prove; `undefined` without credentials, and for a scheme that
 * this server does not have.
 */
export function authenticate(
  scheme: string,
  credentials: Buffer | null,
  address: string,
): Id | undefined {
  switch (scheme) {
    case 'digest':
      return credentials ? digestIdentity(credentials.toString()) : undefined;
    case 'ip':
      return { scheme, id: address };
    default:
      return undefined;
  }
}

export function isSameId(a: Id, b: Id): boolean {
  return a.scheme === b.scheme && a.id === b.id;
}
