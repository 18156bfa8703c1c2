import { EventEmitter } from 'node:events';
import { inspect, types } from 'node:util';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkClient, ZkLockModule } from 'nestjs-zk-lock';
import { Observable } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { sharedServer } from '../support/shared-server.js';
import { credentials, digest, openRestrictedPlace } from './support/place.js';

const SECRETS = [digest, credentials.password];

/** Methods without parameters and without effects. */
const ASKS = /^(read|reveal|only|describe|get[A-Z]|to[A-Z]|snapshot)/;

interface Found {
  readonly path: string;
  readonly value: unknown;
}

/** A limit is needed because getters may create a new object each time. */
const DEEPEST = 9;

/** All values that code can reach through properties, getters, elements and such methods. */
function* reachable(start: unknown): Generator<Found> {
  const seen = new Set<unknown>();
  const open: Found[] = [{ path: 'it', value: start }];
  for (let next = open.shift(); next; next = open.shift()) {
    yield next;
    const { path, value } = next;
    const isObject = typeof value === 'object' || typeof value === 'function';
    if (!isObject || value === null || seen.has(value) || isForeign(value)) continue;
    if (path.split('.').length > DEEPEST) continue;
    seen.add(value);
    if (types.isMap(value)) open.push({ path: `${path}.entries()`, value: [...value] });
    if (types.isSet(value)) open.push({ path: `${path}.values()`, value: [...value] });
    for (const [name, found] of membersOf(value))
      open.push({ path: `${path}.${name}`, value: found });
  }
}

/** Whether the object is not ours: such objects give access to the whole process. */
function isForeign(value: object): boolean {
  const classes = [EventEmitter, EventTarget, Observable, Promise, Uint8Array];
  return value === globalThis || classes.some((foreign) => value instanceof foreign);
}

function* membersOf(value: object): Generator<[string, unknown]> {
  for (
    let holder: object | null = value;
    holder && holder !== Object.prototype && holder !== Function.prototype;
    holder = Reflect.getPrototypeOf(holder)
  ) {
    for (const key of Reflect.ownKeys(holder)) {
      const member = attempt(() => Reflect.get(holder, key, value));
      const name = String(key);
      if (key !== 'constructor') yield [name, member];
      if (typeof member === 'function' && member.length === 0 && ASKS.test(name)) {
        yield [`${name}()`, attempt(() => Reflect.apply(member, value, []) as unknown)];
      }
    }
  }
}

function attempt(get: () => unknown): unknown {
  try {
    return get();
  } catch {
    return undefined;
  }
}

/** The paths of members that reveal the password, as text or as bytes. */
function leaksIn(start: unknown): string[] {
  const leaks: string[] = [];
  for (const { path, value } of reachable(start)) {
    const text =
      typeof value === 'string'
        ? value
        : types.isUint8Array(value)
          ? Buffer.from(value).toString('latin1')
          : '';
    if (SECRETS.some((secret) => text.includes(secret))) leaks.push(path);
  }
  return leaks;
}

async function open() {
  const { root } = await openRestrictedPlace();
  const servers = sharedServer().connectString;
  const cohort = { keepMs: 60_000 };
  const module = ZkLockModule.forRoot({ servers, root, credentials, cohort });
  @Module({ imports: [module] })
  class AppModule {}
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  onTestFinished(() => app.close());
  return { locks: app.get(LockService), zk: app.get(ZkClient) };
}

it('shows no password in any object that users can reach', async () => {
  const { locks, zk } = await open();
  await using lock = await locks.acquire('k', { label: 'a' });
  await using permit = await locks.semaphore('s', { permits: 2 }).acquire();
  const election = locks.election('e');
  const term = await election.whenLeader();
  const all = {
    locks,
    zk,
    lock,
    permit,
    election,
    term,
    inspected: await locks.inspect('k'),
    session: locks.session,
  };
  const leaks = Object.entries(all).flatMap(([name, value]) =>
    leaksIn(value).map((path) => `${name}: ${path}`),
  );
  expect(leaks.join('\n')).toBe('');
  for (const value of Object.values(all)) {
    expect(inspect(value, { depth: Infinity, showHidden: true })).not.toContain(
      credentials.password,
    );
  }
});
