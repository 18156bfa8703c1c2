import { describe, expect, it } from 'vitest';
import { encodeRequest, OpCode } from 'zk-protocol';
import { Faults } from './faults.js';

const NOTHING = Buffer.alloc(0);

describe('loseNextReply', () => {
  it.each([OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL])(
    'of create is of the type %i, once',
    (type) => {
      const faults = new Faults();
      faults.loseNextReply('create');
      expect(faults.takesReply(OpCode.delete, NOTHING)).toBe(false);
      expect(faults.takesReply(type, NOTHING)).toBe(true);
      expect(faults.takesReply(type, NOTHING)).toBe(false);
    },
  );

  it('can be called for several requests, which come in any order', () => {
    const faults = new Faults();
    faults.loseNextReply('getChildren');
    faults.loseNextReply('multi');
    faults.loseNextReply('getChildren');
    const types = [OpCode.multi, OpCode.getChildren2, OpCode.multi, OpCode.getChildren];
    expect(types.map((type) => faults.takesReply(type, NOTHING))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('loses the answer to a multi with such a part, also if that is empty', () => {
    const faults = new Faults();
    faults.loseNextReply('delete');
    const part = { type: OpCode.delete, request: { path: '/', version: -1 } };
    const frame = encodeRequest(1, OpCode.multi, [part]).subarray(4);
    expect(faults.takesReply(OpCode.multi, frame.subarray(0, -3))).toBe(false);
    expect(faults.takesReply(OpCode.multi, frame)).toBe(true);
    expect(faults.takesReply(OpCode.multi, frame)).toBe(false);
  });

  it.each(['', 'nothing', 'toString', 'getChildren2'])('refuses %j', (name) => {
    const lose = () => new Faults().loseNextReply(name as 'create');
    expect(lose).toThrow(TypeError);
    expect(lose).toThrow(`no operation ${JSON.stringify(name)}`);
  });
});
