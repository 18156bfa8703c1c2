/**
 * Loads each entry point both ways, and prints what differs. If a class exists twice, it cannot be
 * injected, and
 * `instanceof` does not recognize it.
 */
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Locked, LockService, LockTimeoutError } from 'nestjs-zk-lock';

const require = createRequire(import.meta.url);

const names = ['', '/health', '/board', '/testing', '/prometheus', '/opentelemetry'];
for (const specifier of ['zk-locks', ...names.map((name) => `nestjs-zk-lock${name}`)]) {
  const [imported, required] = [await import(specifier), require(specifier)];
  for (const key of Object.keys(required)) {
    assert.equal(imported[key], required[key], `${specifier}: ${key}`);
  }
}

class Orders {
  constructor(locks) {
    this.locks = locks;
  }
  async ship() {}
}
Reflect.defineMetadata('design:paramtypes', [require('nestjs-zk-lock').LockService], Orders);
const ship = Object.getOwnPropertyDescriptor(Orders.prototype, 'ship');
Locked('order', { timeoutMs: 0 })(Orders.prototype, 'ship', ship);
Object.defineProperty(Orders.prototype, 'ship', ship);

const { createLockTestingModule, holdElsewhere } = require('nestjs-zk-lock/testing');
const moduleRef = await createLockTestingModule({ providers: [Orders] }).compile();
assert.ok(moduleRef.get(Orders).locks instanceof LockService);
await holdElsewhere(moduleRef, 'order');
const error = await moduleRef
  .get(Orders)
  .ship()
  .catch((thrown) => thrown);
assert.ok(error instanceof LockTimeoutError, String(error));
await moduleRef.close();
process.stdout.write(JSON.stringify({ same: true }));
