import { type ACL, ErrorCode, type Id, ProtocolError } from 'zk-protocol';
import { RequestRefused } from '../request-refused.js';
import { isSameId } from './identity.js';
import { parseIpRange } from './ip-range.js';

/** Schemes whose ids ZooKeeper reads without a check for null. */
const NAMING: ReadonlySet<string | null> = new Set(['world', 'digest', 'ip']);

/** Whether one entry gives one of `perms` to one of the identities. */
export function isAllowed(acl: readonly ACL[], perms: number, identities: readonly Id[]): boolean {
  return acl.some(
    (entry) =>
      (entry.perms & perms) !== 0 &&
      (isAnyone(entry.id) || identities.some((identity) => matches(identity, entry.id))),
  );
}

/** @throws {RequestRefused} `noAuth` if it is not allowed */
export function checkAccess(acl: readonly ACL[], perms: number, identities: readonly Id[]): void {
  if (!isAllowed(acl, perms, identities)) throw new RequestRefused(ErrorCode.noAuth);
}

/**
 * The ACL as stored: without repeated entries, and with the caller's identities in place of `auth`.
 *
 * @throws {RequestRefused} `invalidACL` for an empty ACL, an unknown scheme or an invalid id
 * @throws {ProtocolError} for an id that is null and must not be
 */
export function resolveAcl(acl: readonly ACL[], identities: readonly Id[]): readonly ACL[] {
  const [first] = acl;
  if (acl.length === 1 && first && isAnyone(first.id)) return acl;
  const resolved = withoutRepeats(acl).flatMap((entry) => resolveEntry(entry, identities));
  if (resolved.length === 0) throw new RequestRefused(ErrorCode.invalidACL);
  return resolved;
}

/** The ACL for callers who may not change it: without the hashes of passwords. */
export function maskAcl(acl: readonly ACL[]): readonly ACL[] {
  return acl.map(({ perms, id: { scheme, id } }) => ({
    perms,
    id: { scheme, id: scheme === 'digest' ? (id?.replace(/:.*/, ':x') ?? null) : id },
  }));
}

function resolveEntry(entry: ACL, identities: readonly Id[]): ACL[] {
  const { scheme, id } = entry.id;
  if (isAnyone(entry.id)) return [entry];
  if (id === null && NAMING.has(scheme)) {
    throw new ProtocolError('BAD_VALUE', `an id of the scheme ${scheme ?? ''} is null`);
  }
  if (scheme === 'auth') {
    const proved = identities.filter((identity) => identity.scheme === 'digest');
    if (proved.length === 0) throw new RequestRefused(ErrorCode.invalidACL);
    return proved.map((identity) => ({ perms: entry.perms, id: identity }));
  }
  const isValid =
    (scheme === 'digest' && isDigestId(id ?? '')) ||
    (scheme === 'ip' && parseIpRange(id ?? '') !== undefined);
  if (!isValid) throw new RequestRefused(ErrorCode.invalidACL);
  return [entry];
}

function withoutRepeats(acl: readonly ACL[]): ACL[] {
  return acl.filter(
    (entry, index) =>
      acl.findIndex((other) => other.perms === entry.perms && isSameId(other.id, entry.id)) ===
      index,
  );
}

/** `user:hash`; colons at the end do not count, as in Java's `split`. */
function isDigestId(id: string): boolean {
  let end = id.length;
  while (end > 0 && id[end - 1] === ':') end--;
  return id.slice(0, end).split(':').length === 2;
}

function isAnyone({ scheme, id }: Id): boolean {
  return scheme === 'world' && id === 'anyone';
}

function matches(identity: Id, wanted: Id): boolean {
  if (identity.scheme !== wanted.scheme || identity.id === null || wanted.id === null) return false;
  if (wanted.scheme === 'ip') {
    return parseIpRange(wanted.id)?.includes(identity.id) ?? false;
  }
  return identity.id === wanted.id;
}
