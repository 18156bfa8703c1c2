import { OpCode } from 'zk-protocol';
import { waitFor } from '../../support/wait-for.js';
import { WireClient } from '../../support/wire-client.js';
import type { Stage } from './stage.js';

/** Any version of the configuration. */
const ANY_VERSION = -1n;

/**
 * Changes the members of the ensemble. Asks again while servers are not ready for it, such as a new
 * one that has not caught up.
 */
export async function reconfigure(
  stage: Stage,
  { joining, leaving }: { readonly joining?: string; readonly leaving?: string },
): Promise<void> {
  const request = {
    joiningServers: joining ?? null,
    leavingServers: leaving ?? null,
    newMembers: null,
    currentConfigId: ANY_VERSION,
  };
  let answer = '';
  const isDone = async (): Promise<boolean> => {
    answer = await atLeader(stage, async (client) => {
      const { err } = await client.ask(OpCode.reconfig, request);
      return err;
    }).catch(String);
    return answer === 'ok';
  };
  const wait = { what: 'the ensemble to be reconfigured', timeoutMs: 60_000, intervalMs: 200 };
  await waitFor(isDone, wait).catch((cause: unknown) => {
    throw new Error(`${joining ?? leaving ?? ''} was refused at last with ${answer}`, { cause });
  });
}

/** The configuration line of a current member, which can also add it again. */
export async function serverLine(stage: Stage, id: number): Promise<string> {
  const text = await atLeader(stage, async (client) => {
    const request = { path: '/zookeeper/config', watch: false };
    const { body } = await client.ask(OpCode.getData, request);
    return Buffer.from(body?.data ?? '').toString();
  });
  const line = text.split('\n').find((one) => one.startsWith(`server.${id}=`));
  if (line === undefined) throw new Error(`no member ${id} in ${text}`);
  // A server that is added must say where clients reach it.
  const { port } = stage.ensemble.servers.member(id);
  return line.includes(';') ? line : `${line};127.0.0.1:${port}`;
}

async function atLeader<T>(stage: Stage, ask: (client: WireClient) => Promise<T>): Promise<T> {
  const leader = await stage.ensemble.servers.leader();
  const client = await WireClient.connect(leader.port);
  try {
    return await ask(client);
  } finally {
    await client.close();
  }
}
