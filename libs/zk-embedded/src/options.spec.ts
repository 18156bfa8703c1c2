import { describe, expect, it } from 'vitest';
import { type EmbeddedZooKeeperOptions, resolveOptions } from './options.js';

describe('resolveOptions', () => {
  it("has a real server's defaults", () => {
    expect(resolveOptions({})).toEqual({
      ...{ port: 0, host: '127.0.0.1', tickTimeMs: 2_000 },
      ...{ minSessionTimeoutMs: 4_000, maxSessionTimeoutMs: 40_000 },
      ...{ containerCheckIntervalMs: 60_000, maxClientConnections: 60, maxBufferBytes: 1_048_575 },
    });
  });

  it.each<{ given: EmbeddedZooKeeperOptions; limits: [number, number] }>([
    { given: { tickTimeMs: 10 }, limits: [20, 200] },
    { given: { tickTimeMs: 10, minSessionTimeoutMs: 500 }, limits: [500, 500] },
    { given: { minSessionTimeoutMs: 1 }, limits: [1, 40_000] },
    { given: { tickTimeMs: 10, maxSessionTimeoutMs: 20 }, limits: [20, 20] },
  ])('grants sessions of $limits for $given', ({ given, limits }) => {
    const { minSessionTimeoutMs, maxSessionTimeoutMs } = resolveOptions(given);
    expect([minSessionTimeoutMs, maxSessionTimeoutMs]).toEqual(limits);
  });

  it.each([
    [{ port: 65_536 }, 'port is 65536; give a whole number from 0 to 65535'],
    [{ port: -1 }, 'port is -1'],
    [{ port: '2181' }, 'port is "2181"'],
    [{ tickTimeMs: 0 }, 'tickTimeMs is 0'],
    [{ tickTimeMs: 0.5 }, 'tickTimeMs is 0.5'],
    [{ tickTimeMs: NaN }, 'tickTimeMs is NaN'],
    [{ tickTimeMs: Infinity }, 'tickTimeMs is Infinity'],
    [{ minSessionTimeoutMs: 0 }, 'minSessionTimeoutMs is 0'],
    [{ minSessionTimeoutMs: 9, maxSessionTimeoutMs: 8 }, 'maxSessionTimeoutMs is 8'],
    [{ maxClientConnections: -1 }, 'maxClientConnections is -1'],
    [{ maxBufferBytes: 0 }, 'maxBufferBytes is 0'],
    [{ containerCheckIntervalMs: 2 ** 31 }, 'containerCheckIntervalMs is 2147483648'],
    [{ host: 'example.org' }, 'host is "example.org"'],
    [{ host: '' }, 'host is ""'],
    [{ prot: 1 }, 'there is not an option "prot"'],
  ])('refuses %j by name', (options, message) => {
    const resolve = () => resolveOptions(options as EmbeddedZooKeeperOptions);
    expect(resolve).toThrow(TypeError);
    expect(resolve).toThrow(`zk-embedded: ${message}`);
  });
});
