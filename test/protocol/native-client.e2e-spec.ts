import { expect, it } from 'vitest';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { expectCanonical } from './expect-canonical.js';
import { keepGolden } from './golden-file.js';
import { RecordingRelay } from './recording-relay.js';
import { captureScript, runClient } from './run-client.js';

it('the C client is read to its last byte, and written as it writes', async () => {
  await using server = await ZooKeeperServer.start({
    systemProperties: { 'zookeeper.extendedTypesEnabled': 'true' },
  });
  await using relay = await RecordingRelay.start(server.port);
  await runClient(relay, [process.execPath, captureScript('golden-native.mjs')]);
  expect(relay.connections).toHaveLength(2);
  expect(relay.frames.map(({ is }) => is)).toContain('setWatches reply');
  expect(relay.frames.map(({ is }) => is)).toContain('closeSession');
  for (const read of relay.frames) expectCanonical(read);
  keepGolden('native', relay.connections);
});
