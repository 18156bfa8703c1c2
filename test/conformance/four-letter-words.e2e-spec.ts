import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { CreateMode } from 'zk-protocol';
import { sharedServer } from '../support/shared-server.js';
import { ownNode } from '../support/own-node.js';
import { openScene, openWire } from './wire.js';

const ask = (word: Parameters<ReturnType<typeof sharedServer>['fourLetterWord']>[0]) =>
  sharedServer().fourLetterWord(word);

/** The number after a name, parsed as monitoring tools do. */
function numberIn(answer: string, pattern: RegExp): number {
  const number = new RegExp(pattern, 'm').exec(answer)?.[1];
  if (number === undefined) throw new Error(`no ${String(pattern)} in:\n${answer}`);
  return Number(number);
}

const hex = (id: bigint): string => `0x${id.toString(16)}`;

describe('four-letter words', () => {
  it('ruok is answered with imok and nothing else', async () => {
    expect(await ask('ruok')).toBe('imok');
  });

  it('may come byte by byte', async () => {
    const socket = connect({ port: sharedServer().port, host: '127.0.0.1', noDelay: true });
    for (const letter of 'ruok') socket.write(letter);
    expect(await text(socket)).toBe('imok');
  });

  it('srvr says version, zxid, mode and counts', async () => {
    const { root, wire } = await openScene();
    const before = await ask('srvr');
    expect(before).toMatch(
      /^Zookeeper version: 3\.8\.\d-\S+, built on .+\nLatency min\/avg\/max: /,
    );
    expect(before).toMatch(/^Mode: standalone$/m);
    for (const name of ['Received', 'Sent', 'Connections', 'Outstanding']) {
      expect(before).toMatch(new RegExp(`^${name}: -?\\d+$`, 'm'));
    }
    const { zxid } = await wire.create(`${root}/n`);
    const after = await ask('srvr');
    expect(numberIn(after, /^Zxid: (0x[0-9a-f]+)$/)).toBeGreaterThanOrEqual(Number(zxid));
    expect(numberIn(after, /^Node count: (\d+)$/)).toBe(
      numberIn(before, /^Node count: (\d+)$/) + 1,
    );
  });

  it('stat is srvr with the connections', async () => {
    const { client } = await openWire();
    const { localPort } = client.socket;
    const connection = new RegExp(
      `^ /127\\.0\\.0\\.1:${localPort}\\[\\d+\\]\\(queued=0,recved=1,sent=1\\)$`,
      'm',
    );
    // A server counts an answer after it has sent it.
    const answer = await waitFor(
      async () => {
        const stat = await ask('stat');
        return connection.test(stat) && stat;
      },
      { what: 'the connection among the clients' },
    );
    expect(answer).toContain('\nClients:\n');
    expect(answer).toMatch(/^Node count: \d+$/m);
  });

  it('mntr gives current numbers', async () => {
    const { root, wire } = await openScene();
    const before = await ask('mntr');
    await wire.create(`${root}/e`, { flags: CreateMode.ephemeral, data: Buffer.alloc(1_000) });
    await wire.getData(`${root}/e`, true);
    await wire.getChildren(root, true);
    let after = before;
    const grown = (name: string) => {
      const pattern = new RegExp(`^zk_${name}\t(\\d+)$`);
      return numberIn(after, pattern) - numberIn(before, pattern);
    };
    // A server counts an answer after it has sent it.
    await waitFor(
      async () => {
        after = await ask('mntr');
        return grown('packets_sent') >= 3;
      },
      { what: 'the answers to be counted' },
    );
    expect(before).toMatch(/^zk_version\t3\.8\.\d-/m);
    expect(before).toMatch(/^zk_server_state\tstandalone$/m);
    expect(grown('znode_count')).toBe(1);
    expect(grown('ephemerals_count')).toBe(1);
    expect(grown('watch_count')).toBe(2);
    expect(grown('approximate_data_size')).toBe(1_000 + root.length + 2);
    expect(grown('packets_received')).toBeGreaterThanOrEqual(3);
    for (const name of ['num_alive_connections', 'global_sessions']) {
      expect(numberIn(after, new RegExp(`^zk_${name}\t(\\d+)$`))).toBeGreaterThan(0);
    }
    // The server may count a request as answered before it counts it as received.
    expect(numberIn(after, /^zk_outstanding_requests\t(-?\d+)$/)).toBeGreaterThanOrEqual(-1);
    for (const name of ['min_latency', 'avg_latency', 'max_latency', 'uptime']) {
      expect(numberIn(after, new RegExp(`^zk_${name}\t([\\d.]+)$`))).toBeGreaterThanOrEqual(0);
    }
  });

  it('wchs, wchc and wchp list watchers and watched paths', async () => {
    const root = await ownNode();
    const { client } = await openWire();
    const before = numberIn(await ask('wchs'), /^Total watches:(\d+)$/);
    await client.ask(3, { path: root, watch: true });
    await client.ask(3, { path: `${root}/none`, watch: true });
    const answer = await ask('wchs');
    expect(answer).toMatch(/^\d+ connections watching \d+ paths\nTotal watches:\d+\n$/);
    expect(numberIn(answer, /^Total watches:(\d+)$/)).toBe(before + 2);
    expect(await ask('wchp')).toContain(`${root}\n\t${hex(client.sessionId)}\n`);
    const byConnection = await ask('wchc');
    const own = byConnection.split(/^(?=0x)/m).find((one) => one.startsWith(hex(client.sessionId)));
    expect(own?.trimEnd().split('\n').slice(1).sort()).toEqual([`\t${root}`, `\t${root}/none`]);
    expect(byConnection.endsWith('\n\n')).toBe(true);
  });

  it('cons and dump list connections, sessions and ephemeral nodes', async () => {
    const root = await ownNode();
    const wire = await openWire({ timeOut: 7_000 });
    await wire.create(`${root}/e`, { flags: CreateMode.ephemeral });
    const id = hex(wire.client.sessionId);
    const line = new RegExp(
      `^ /127\\.0\\.0\\.1:\\d+\\[1\\]\\(queued=0,recved=2,sent=2,sid=${id},lop=CREA,est=\\d+,to=7000,` +
        'lcxid=0x1,lzxid=0x[0-9a-f]+,lresp=\\d+,llat=\\d+,minlat=\\d+,avglat=\\d+,maxlat=\\d+\\)$',
      'm',
    );
    // A server updates this line only after it has sent the answer.
    await waitFor(async () => line.test(await ask('cons')), { what: 'the line of the session' });
    const dump = await ask('dump');
    expect(dump).toMatch(/^SessionTracker dump:\nSession Sets \(\d+\)\/\(\d+\):\n/);
    expect(dump).toMatch(/^ephemeral nodes dump:\nSessions with Ephemerals \(\d+\):$/m);
    expect(dump).toMatch(new RegExp(`^\t${id}$`, 'm'));
    expect(dump).toContain(`${id}:\n\t${root}/e\n`);
    expect(dump).toMatch(/^Connections dump:\nConnections Sets \(\d+\)\/\(\d+\):$/m);
  });

  it('conf shows the configuration of the server', async () => {
    const answer = await ask('conf');
    const { port } = sharedServer();
    for (const line of [`clientPort=${port}`, 'tickTime=500', 'maxSessionTimeout=40000']) {
      expect(answer.split('\n')).toContain(line);
    }
  });
});
