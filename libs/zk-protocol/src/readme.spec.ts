import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  encodeRequest,
  FrameReader,
  JuteReader,
  OpCode,
  replyCodec,
  ReplyHeader,
} from './index.js';
import { answer } from './testing/example.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the example of the README', () => {
  it('is the code that runs here', () => {
    const [, block] = /```ts\n(.*?)```/s.exec(read('../README.md')) ?? [];
    expect(block).toBe(read('testing/example.ts'));
  });

  it('reads requests and writes replies', () => {
    const requests = Buffer.concat([
      encodeRequest(1, OpCode.getAllChildrenNumber, { path: '/' }),
      encodeRequest(2, OpCode.getAllChildrenNumber, { path: '/none' }),
      encodeRequest(3, OpCode.ping, undefined),
    ]);
    const answers = [...new FrameReader().read(requests)].map((frame) => {
      const [bytes] = new FrameReader().read(answer(frame));
      const reader = new JuteReader(bytes!);
      const header = ReplyHeader.read(reader);
      const body = header.err === 0 && replyCodec(OpCode.getAllChildrenNumber).read(reader);
      return { ...header, body };
    });
    expect(answers).toEqual([
      { xid: 1, zxid: 1n, err: 0, body: { totalNumber: 0 } },
      { xid: 2, zxid: 1n, err: -101, body: false },
      { xid: 3, zxid: 1n, err: -6, body: false },
    ]);
  });
});
