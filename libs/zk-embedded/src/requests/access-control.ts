import { type ACL, ErrorCode, type Id, ProtocolError } from 'zk-protocol';
import { RequestRefused } from '../request-refused.js';
import { isSameId } from './identity.js';
import { parseIpRange } from './ip-range.js';

/** Schemes whose ids ZooKeeper looks at without asking whether there is one. */
const NAMING: ReadonlySet<string | null> = new Set(['world', 'digest', 'ip']);

/** Whether one entry gives one of `perms` to one of the identities. */
export function isAllowed(acl: readonly ACL[], perms: number, identities: readonly Id[]): boolean {
  return acl.some(
    (entry) =>
      (entry.perms & perms) !== 0 &&
      (isAnyone(entry.id) || identities.some((identity) => matches(identity, entry.id))),
  );
}

/** @throws {RequestRefused} `noAuth` where that is not allowed */
export function checkAccess(acl: readonly ACL[], perms: number, identities: readonly Id[]): void {
  if (!isAllowed(acl, perms, identities)) throw new RequestRefused(ErrorCode.noAuth);
}

/**
 * The ACL as it is kept: without entries given twice, and with those of the scheme `auth` replaced
 * by whoever the caller has shown to be.
 *
 * @throws {RequestRefused} `invalidACL` for none at all, an unknown scheme or an id that it cannot have
 * @throws {ProtocolError} for an id that is null where there has to be one
 */
export function resolveAcl(acl: readonly ACL[], identities: readonly Id[]): readonly ACL[] {
  const resolved = withoutRepeats(acl).flatMap((entry) => resolveEntry(entry, identities));
  if (resolved.length === 0) throw new RequestRefused(ErrorCode.invalidACL);
  return resolved;
}

/** As shown to somebody who may not change it: without the hashes of passwords. */
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

/** `user:hash`; colons at the end do not count, as Java's `split` has it. */
function isDigestId(id: string): boolean {
  return id.replace(/:+$/, '').split(':').length === 2;
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
