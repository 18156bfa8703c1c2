import { describe, expect, it } from 'vitest';
import { type ACL, type Id, Perms, ProtocolError } from 'zk-protocol';
import { checkAccess, isAllowed, maskAcl, resolveAcl } from './access-control.js';
import { authenticate } from './identity.js';

const { all, read, write } = Perms;
const entry = (perms: number, scheme: string | null, id: string | null): ACL => ({
  perms,
  id: { scheme, id },
});
const id = (scheme: string, name: string): Id => ({ scheme, id: name });
const here = id('ip', '10.1.2.3');
const ann = id('digest', 'ann:hash');
const bob = id('digest', 'bob:hash');

describe('isAllowed', () => {
  it.each([
    { acl: [entry(all, 'world', 'anyone')], who: [here], allowed: true },
    { acl: [entry(write, 'world', 'anyone')], who: [here], allowed: false },
    { acl: [entry(all, 'world', 'ann')], who: [here], allowed: false },
    { acl: [entry(all, 'digest', 'ann:hash')], who: [here, ann], allowed: true },
    { acl: [entry(all, 'digest', 'ann:hash')], who: [here, bob], allowed: false },
    { acl: [entry(all, 'ip', 'ann:hash')], who: [ann], allowed: false },
    {
      acl: [entry(write, 'digest', 'ann:hash'), entry(read, 'ip', '10.0.0.0/8')],
      who: [here, ann],
      allowed: true,
    },
    { acl: [entry(all, 'ip', '10.1.2.3')], who: [here], allowed: true },
    { acl: [entry(all, 'ip', '10.1.2.2')], who: [here], allowed: false },
    { acl: [entry(all, 'ip', '10.1.2.2/31')], who: [here], allowed: true },
    { acl: [entry(all, 'ip', '10.1.3.3/24')], who: [here], allowed: false },
    { acl: [entry(all, 'ip', '0.0.0.0/0')], who: [here], allowed: true },
    { acl: [entry(all, 'ip', '0.0.0.0/0')], who: [id('ip', '::1')], allowed: false },
    { acl: [], who: [here], allowed: false },
  ])('$acl allows $who to read: $allowed', ({ acl, who, allowed }) => {
    expect(isAllowed(acl, read, who)).toBe(allowed);
    const check = expect(() => checkAccess(acl, read, who));
    if (allowed) check.not.toThrow();
    else check.toThrow('noAuth');
  });

  it('takes one of several permissions', () => {
    expect(isAllowed([entry(Perms.admin, 'world', 'anyone')], read | Perms.admin, [])).toBe(true);
  });
});

describe('resolveAcl', () => {
  it('keeps the order, and nothing twice', () => {
    const acl = [
      entry(1, 'world', 'anyone'),
      entry(2, 'world', 'anyone'),
      entry(1, 'digest', 'a:b'),
    ];
    expect(resolveAcl([...acl, acl[0]!, acl[2]!], [])).toEqual(acl);
  });

  it('replaces auth by the identities of the caller', () => {
    const acl = [entry(1, 'auth', 'x'), entry(2, 'world', 'anyone'), entry(4, 'auth', null)];
    expect(resolveAcl(acl, [here, ann, bob])).toEqual([
      entry(1, 'digest', 'ann:hash'),
      entry(1, 'digest', 'bob:hash'),
      entry(2, 'world', 'anyone'),
      entry(4, 'digest', 'ann:hash'),
      entry(4, 'digest', 'bob:hash'),
    ]);
    expect(() => resolveAcl(acl, [here])).toThrow('invalidACL');
  });

  it.each([':b', 'a:b', 'a:b:', 'a:b::'])('takes the digest %j', (name) => {
    expect(resolveAcl([entry(1, 'digest', name)], [])).toHaveLength(1);
  });

  it.each([
    ...[entry(1, null, 'x'), entry(1, '', ''), entry(1, 'world', ''), entry(1, 'other', null)],
    ...['', ':', 'a', 'a:', 'a::', 'a:b:c'].map((name) => entry(1, 'digest', name)),
    ...['', 'x', '1.2.3', '1.2.3.4.5', '1.2.3.256', '1.2.3.-1', '::1'].map((name) =>
      entry(1, 'ip', name),
    ),
    ...['1.2.3.4/', '1.2.3.4/33', '1.2.3.4/-1', '1.2.3.4/8/8', '/8'].map((name) =>
      entry(1, 'ip', name),
    ),
  ])('refuses $id', (one) => {
    expect(() => resolveAcl([one], [ann])).toThrow('invalidACL');
    expect(() => resolveAcl([entry(1, 'world', 'anyone'), one], [ann])).toThrow('invalidACL');
  });

  it.each(['world', 'digest', 'ip'])('cannot read null of %s', (scheme) => {
    expect(() => resolveAcl([entry(1, scheme, null)], [])).toThrow(ProtocolError);
  });
});

describe('maskAcl', () => {
  it('hides only the hashes', () => {
    const shown = [entry(1, 'world', 'anyone'), entry(2, 'ip', '1.2.3.4')];
    expect(maskAcl([...shown, entry(3, 'digest', 'ann:a:b')])).toEqual([
      ...shown,
      entry(3, 'digest', 'ann:x'),
    ]);
  });
});

describe('authenticate', () => {
  it.each([
    { credentials: 'ann:secret', name: 'ann:7RJfAeIvrl4zdj6sS2fXrQHDvHM=' },
    { credentials: 'super:test', name: 'super:D/InIHSb7yEEbrWz8b9l71RjZJU=' },
  ])('knows $credentials as $name', ({ credentials, name }) => {
    expect(authenticate('digest', Buffer.from(credentials), '::1')).toEqual(id('digest', name));
  });

  it('knows an address, and no identity without credentials or for another scheme', () => {
    expect(authenticate('ip', null, '1.2.3.4')).toEqual(id('ip', '1.2.3.4'));
    expect(authenticate('digest', null, '1.2.3.4')).toBeUndefined();
    expect(authenticate('sasl', Buffer.from('x'), '1.2.3.4')).toBeUndefined();
  });
});
