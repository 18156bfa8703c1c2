import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { packError, unpackError } from './error-message.js';

const code = { code: 'EADDRINUSE', port: 2181 };

it.each([
  ['an error', Object.assign(new Error('in use'), code)],
  [
    'an error of another realm',
    runInNewContext("Object.assign(new Error('in use'), code)", { code }),
  ],
])('keeps what Node reports about a failure, of %s', (_what, error: unknown) => {
  const { details } = packError(error);
  const received = Object.assign(error as object, { code: undefined, port: undefined });
  expect(unpackError({ error: received, details })).toMatchObject({ message: 'in use', ...code });
});
