import { afterAll, beforeAll, it } from 'vitest';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { keepGolden } from '../golden-file.js';
import { RecordingRelay } from '../recording-relay.js';
import { captureScript, runClient } from '../run-client.js';

let server: ZooKeeperServer;

beforeAll(async () => {
  server = await ZooKeeperServer.start({
    systemProperties: { 'zookeeper.extendedTypesEnabled': 'true' },
  });
});

afterAll(() => server.stop());

const jars = ['zookeeper', 'zookeeper-jute', 'slf4j-nop'].map(
  (jar) => `/usr/share/java/${jar}.jar`,
);

it.each([
  { name: 'kazoo', command: ['/usr/bin/python3', captureScript('golden_kazoo.py')] },
  { name: 'java', command: ['java', '-cp', jars.join(':'), captureScript('GoldenJava.java')] },
])('$name', async ({ name, command }) => {
  await using relay = await RecordingRelay.start(server.port);
  await runClient(relay, command);
  keepGolden(name, relay.connections);
});
