import { freePort } from '../../test/support/free-port.js';
import { makeTempDir, removeTempDir } from '../../test/support/temp-dir.js';
import type { RunningServer } from './running-server.js';
import { ServerProcess } from './server-process.js';

interface Member {
  readonly name: string;
  readonly clientPort: number;
  readonly peerPort: number;
  readonly directory: string;
}

/** A cluster of the given number of members, with etcd's own settings. */
export async function startEtcd(size: number): Promise<RunningServer> {
  const members = await Promise.all(Array.from({ length: size }, (_, index) => prepare(index)));
  const cluster = members.map(({ name, peerPort }) => `${name}=${url(peerPort)}`).join(',');
  const servers = await Promise.all(
    members.map((member) => ServerProcess.start(wordsOf(member, cluster), member.clientPort)),
  );
  return {
    ports: members.map(({ clientPort }) => clientPort),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      for (const { directory } of members) removeTempDir(directory);
    },
  };
}

async function prepare(index: number): Promise<Member> {
  const [clientPort, peerPort] = [await freePort(), await freePort()];
  return { name: `member-${index}`, clientPort, peerPort, directory: makeTempDir('etcd') };
}

function wordsOf({ name, clientPort, peerPort, directory }: Member, cluster: string): string[] {
  return [
    ...['etcd', '--name', name, '--data-dir', directory],
    ...['--listen-client-urls', url(clientPort), '--advertise-client-urls', url(clientPort)],
    ...['--listen-peer-urls', url(peerPort), '--initial-advertise-peer-urls', url(peerPort)],
    ...['--initial-cluster', cluster, '--logger', 'zap', '--log-level', 'error'],
  ];
}

const url = (port: number): string => `http://127.0.0.1:${port}`;
