import { describe, expect, it } from 'vitest';
import { SessionTable } from './session-table.js';

describe('a session', () => {
  it.each([
    { now: 0, timeoutMs: 1_000, expiresAt: 1_500 },
    { now: 499, timeoutMs: 1_000, expiresAt: 1_500 },
    { now: 500, timeoutMs: 1_000, expiresAt: 2_000 },
    { now: 0.5, timeoutMs: 999, expiresAt: 1_000 },
  ])('of $timeoutMs ms, touched at $now, ends at $expiresAt', ({ now, timeoutMs, expiresAt }) => {
    const table = new SessionTable(500);
    const session = table.open(timeoutMs, now);
    expect(session.expiresAt).toBe(expiresAt);
    expect(table.overdue(expiresAt - 1)).toEqual([]);
    expect(table.overdue(expiresAt)).toEqual([session]);
    table.touch(session, expiresAt);
    expect(table.overdue(expiresAt)).toEqual([]);
  });

  it.each([
    { what: 'null', spoil: () => null },
    { what: 'no bytes', spoil: () => Buffer.alloc(0) },
    { what: 'another length', spoil: (password: Buffer) => password.subarray(1) },
    {
      what: 'another byte',
      spoil: (password: Buffer) =>
        Buffer.from(password.map((byte, i) => (i === 15 ? byte ^ 1 : byte))),
    },
  ])('is not given for a password of $what', ({ spoil }) => {
    const table = new SessionTable(500);
    const { id, password } = table.open(1_000, 0);
    expect(table.claim(id, spoil(password))).toBeUndefined();
    expect(table.claim(id + 1n, password)).toBeUndefined();
    expect(table.claim(id, Buffer.from(password))?.id).toBe(id);
  });

  it('is gone when it is removed', () => {
    const table = new SessionTable(500);
    const session = table.open(1_000, 0);
    table.open(1_000, 0);
    table.remove(session);
    expect(table.claim(session.id, session.password)).toBeUndefined();
    expect(table.find(session.id)).toBeUndefined();
    expect(table.size).toBe(1);
  });
});

describe('a table', () => {
  it('gives ids that count up from the time, and are positive', () => {
    for (const clock of [0x123_4567_89ab, 0xff_ffff_ffff, 1]) {
      const table = new SessionTable(500, clock);
      const [one, other] = [table.open(1, 0), table.open(1, 0)];
      expect(other.id).toBe(one.id + 1n);
      expect(one.id >> 16n).toBe(BigInt(clock) & 0xff_ffff_ffffn);
      expect(BigInt.asIntN(64, one.id)).toBe(one.id);
    }
  });

  it('gives each session its whole timeout again', () => {
    const table = new SessionTable(10);
    const sessions = [table.open(10, 0), table.open(50, 0)];
    // The timeout of the reconnect is forgotten by a restart.
    sessions[1]!.timeoutMs = 500;
    table.touchAll(1_000);
    expect(sessions.map(({ expiresAt }) => expiresAt)).toEqual([1_020, 1_060]);
    expect([...table]).toEqual(sessions);
  });
});
