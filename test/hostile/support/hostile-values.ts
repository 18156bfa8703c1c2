const fail = (): never => {
  throw new TypeError('hostile');
};

/** A proxy that throws on every access. */
const trapped = (target: object): unknown =>
  new Proxy(
    target,
    Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((trap) => [trap, fail])),
  );

const revoked = (target: object): unknown => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};

const throwing = (name: PropertyKey): unknown =>
  Object.defineProperty({}, name, { get: fail, enumerable: true });

const circular = (): unknown => {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
};

/** Values that callers may pass where a number, text or object is expected. */
const PLAIN: readonly unknown[] = [
  ...[null, undefined, true, false, '', 'x', 'read', 'skip', 10n, NaN, Infinity, -Infinity, -0],
  ...[0, -1, 0.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 31), Symbol('s')],
  ...[
    '\0',
    '\ud800',
    '\uffff',
    '__proto__',
    '/',
    '..',
    '{',
    '{0.id}',
    '-0000000001',
    Symbol.iterator,
  ],
];

const NASTY: readonly (() => unknown)[] = [
  ...PLAIN.map((value) => () => value),

  () => 'x'.repeat(200_000),
  () => [],
  () => [undefined],
  () => new Array<string>(3),
  () => new Array<string>(2 ** 32 - 1),
  () => ['k', ''],
  () => ({}),
  () => Object.create(null) as unknown,
  () => JSON.parse('{"__proto__":{"timeoutMs":1}}') as unknown,
  () => ({ constructor: { name: fail } }),
  () => ({ toString: fail, valueOf: fail, toJSON: fail }),
  () => ({ [Symbol.toPrimitive]: fail }),
  () => ({ [Symbol.for('nodejs.util.inspect.custom')]: fail }),
  () => ({ then: (_: unknown, reject: (reason: unknown) => void) => reject('hostile') }),
  () => ['then', 'length', 'key', 'mode', 'timeoutMs', Symbol.toStringTag].map(throwing),
  () => throwing('timeoutMs'),
  () => throwing('signal'),
  () => throwing('key'),
  () => throwing('servers'),
  () => throwing(Symbol.toStringTag),
  () => trapped({}),
  () => trapped([]),
  () => trapped(fail),
  () => revoked({}),
  () => revoked([]),
  () => new Proxy([], { get: (_, name) => (name === 'length' ? Infinity : undefined) }),
  () => Object.create(AbortSignal.prototype) as unknown,
  () => ({ aborted: false, addEventListener: fail, removeEventListener: fail }),
  () => Promise.resolve(1),
  () => () => undefined,
  () => fail,
  () => class Hostile {},
  () => circular(),
  () => new Number(5),
  () => new String('k'),
  () => new Date(NaN),
  () => new Map([['timeoutMs', 1]]),
  () => Buffer.from('k'),
  () => new Error('hostile'),
];

/** Creates each hostile value anew. */
export function nastyValues(): unknown[] {
  return NASTY.map((make) => make());
}
