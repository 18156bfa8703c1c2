import { expect, it } from 'vitest';
import { ErrorCode, OpCode, ProtocolError } from 'zk-protocol';
import { ReturnCode } from '../../port/client-errors.js';
import { errorOf } from '../error-of.js';
import { Batcher } from './batcher.js';
import { Batching } from './batching.js';

/** A batcher whose requests are all refused. */
function openRefused(returnCode: number, code: 'TOO_LONG' | 'BAD_LENGTH') {
  const line: ConstructorParameters<typeof Batcher>[0] = {
    isOpen: true,
    onDown: undefined,
    send: (question) => {
      // As when the answer ends the connection.
      Object.assign(line, { isOpen: returnCode !== ErrorCode.marshallingError });
      question.reject(errorOf(question, returnCode, new ProtocolError(code, 'a long frame')));
    },
    giveUp: () => undefined,
    close: () => Promise.resolve(false),
  };
  const batching = new Batching({ writesPerMs: 0 });
  const batcher = new Batcher(line, batching);
  const list = (path: string): Promise<unknown> =>
    new Promise((resolve, reject) =>
      batcher.send({
        ...{ type: OpCode.getChildren, path, body: { path, watch: false } },
        ...{ isAlone: false, resolve, reject },
      }),
    );
  return { list, frameLimits: batching.frameLimits };
}

it.each([
  ['TOO_LONG', 1, 'ZK_CONNECTION_LOSS'],
  ['BAD_LENGTH', Infinity, 'ZK_MARSHALLING'],
] as const)(
  'after the answer to four reads has ended the connection with %s, sends at most %d together',
  async (cause, most, code) => {
    const { list, frameLimits } = openRefused(ErrorCode.marshallingError, cause);
    const reading = await Promise.allSettled(['/a', '/b', '/c', '/d'].map(list));
    const unread = { reason: { code, outcome: 'ambiguous', cause: { code: cause } } };
    expect(reading).toMatchObject([unread, unread, unread, unread]);
    expect(frameLimits.mostReads).toBe(most);
  },
);

it('passes on the refusal of a single read whose answer is too long, and sends no fewer together', async () => {
  const { list, frameLimits } = openRefused(ReturnCode.answerTooLong, 'TOO_LONG');
  const refused = { code: 'ZK_ANSWER_TOO_LONG', path: '/a', cause: { code: 'TOO_LONG' } };
  await expect(list('/a')).rejects.toMatchObject(refused);
  expect(frameLimits.mostReads).toBe(Infinity);
});
