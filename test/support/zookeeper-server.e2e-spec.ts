import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InspectClient } from './inspect-client.js';
import { ZooKeeperServer } from './zookeeper-server.js';

describe('ZooKeeperServer', () => {
  let server: ZooKeeperServer;

  beforeEach(async () => {
    server = await ZooKeeperServer.start({ tickTimeMs: 200, extraConfig: { syncLimit: 7 } });
  });

  afterEach(async () => {
    await server.stop();
  });

  it('serves, alone, with the given configuration', async () => {
    await expect(server.mode()).resolves.toBe('standalone');
    const conf = await server.fourLetterWord('conf');
    expect(conf).toContain('tickTime=200');
    expect(conf).toContain('minSessionTimeout=400');
    expect(conf).toContain('maxClientCnxns=0');
  });

  it.each(['halt', 'kill'] as const)('keeps its data over %s and restart', async (end) => {
    await using before = await InspectClient.connect(server.connectString);
    await before.create('/kept', 'data');
    await server[end]();
    expect(server.isRunning).toBe(false);
    await server.restart();
    await using after = await InspectClient.connect(server.connectString);
    await expect(after.get('/kept')).resolves.toMatchObject({ data: Buffer.from('data') });
  });

  it('is silent while paused', async () => {
    await server.pause();
    await expect(server.fourLetterWord('ruok', 200)).rejects.toThrow('no answer to "ruok"');
    server.resume();
    await expect(server.fourLetterWord('ruok')).resolves.toBe('imok');
  });

  it('can be stopped while paused', async () => {
    await server.pause();
    await server.stop();
    expect(server.isRunning).toBe(false);
  });

  it('says why it did not start', async () => {
    const start = ZooKeeperServer.start({ port: server.port });
    await expect(start).rejects.toThrow(/did not start.*Address already in use/s);
  });
});
