import { describe, expect, it } from 'vitest';
import { OpCode } from 'zk-protocol';
import { Faults } from './faults.js';

describe('loseNextReply', () => {
  it.each([OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL])(
    'of create is of the type %i, once',
    (type) => {
      const faults = new Faults();
      faults.loseNextReply('create');
      expect(faults.takesReply(OpCode.delete)).toBe(false);
      expect(faults.takesReply(type)).toBe(true);
      expect(faults.takesReply(type)).toBe(false);
    },
  );

  it('can be called for several, which come in any order', () => {
    const faults = new Faults();
    faults.loseNextReply('getChildren');
    faults.loseNextReply('multi');
    faults.loseNextReply('getChildren');
    const types = [OpCode.multi, OpCode.getChildren2, OpCode.multi, OpCode.getChildren];
    expect(types.map((type) => faults.takesReply(type))).toEqual([true, true, false, true]);
  });

  it.each(['', 'nothing', 'toString', 'getChildren2'])('refuses %j', (name) => {
    const lose = () => new Faults().loseNextReply(name as 'create');
    expect(lose).toThrow(TypeError);
    expect(lose).toThrow(`no operation ${JSON.stringify(name)}`);
  });
});
