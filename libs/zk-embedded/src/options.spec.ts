import { describe, expect, it } from 'vitest';
import { type EmbeddedZooKeeperOptions, resolveOptions } from './options.js';

describe('resolveOptions', () => {
  it("has a real server's defaults, with the tick of the sample configuration", () => {
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
    [{ port: 65_536 }, 'port', '65536'],
    [{ port: -1 }, 'port', '-1'],
    [{ port: '2181' }, 'port', '"2181"'],
    [{ tickTimeMs: 0 }, 'tickTimeMs', '0'],
    [{ tickTimeMs: 0.5 }, 'tickTimeMs', '0.5'],
    [{ tickTimeMs: NaN }, 'tickTimeMs', 'NaN'],
    [{ tickTimeMs: Infinity }, 'tickTimeMs', 'Infinity'],
    [{ minSessionTimeoutMs: 0 }, 'minSessionTimeoutMs', '0'],
    [{ minSessionTimeoutMs: 9, maxSessionTimeoutMs: 8 }, 'maxSessionTimeoutMs', '8'],
    [{ maxClientConnections: -1 }, 'maxClientConnections', '-1'],
    [{ maxBufferBytes: 0 }, 'maxBufferBytes', '0'],
    [{ containerCheckIntervalMs: 2 ** 31 }, 'containerCheckIntervalMs', '2147483648'],
    [{ host: 'example.org' }, 'host', '"example.org"'],
    [{ host: '' }, 'host', '""'],
  ])('refuses %j by name', (options, name, got) => {
    const resolve = () => resolveOptions(options as EmbeddedZooKeeperOptions);
    expect(resolve).toThrow(TypeError);
    expect(resolve).toThrow(`zk-embedded: ${name} must be `);
    expect(resolve).toThrow(`; got ${got}. Omit it for `);
  });

  it('refuses an option that does not exist', () => {
    const resolve = () => resolveOptions({ prot: 1 } as EmbeddedZooKeeperOptions);
    expect(resolve).toThrow('zk-embedded: "prot" is not an option; use port, ');
  });
});
