import { expect, it } from 'vitest';
import type { Session } from '../session/session.js';
import { Calls } from './call.js';
import { Traffic } from './traffic.js';

const ANSWER_WITHIN_MS = 20;

function callOnce(isConnected: boolean): Promise<unknown> {
  const session = {
    ...{ isConnected, isStarted: true, connectedLease: {} },
    snapshot: { servers: 'zk:2181' },
  } as unknown as Session;
  const unanswered = new Promise<never>(() => undefined);
  return new Calls(session, new Traffic(), ANSWER_WITHIN_MS).run(
    { request: 'get', path: '/a', timeoutMs: 0 },
    (call) => call.askUntilAnswered(() => unanswered),
  );
}

it('with a timeout of 0, a call waits for an answer only if there is a connection', async () => {
  await expect(callOnce(false)).rejects.toThrow('did not answer the request get /a immediately.');
  await expect(callOnce(true)).rejects.toThrow('did not answer the request get /a within 20 ms.');
});
