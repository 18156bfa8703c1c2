import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Succession } from './succession.js';

const K = '/locks/k';

describe('succession', () => {
  it('knows a node as the first one when it comes right behind the one that departed', () => {
    const succession = new Succession();
    succession.departed(K, 7, 100n);
    expect(succession.isFirst(K, 8, 102n)).toBe(true);
  });

  it.each([
    ['of which nobody has departed', '/locks/other', 8, 102n],
    ['behind somebody whom it does not know', K, 9, 103n],
    ['of a lower number', K, 7, 102n],
    ['for which the directory may have been made anew', K, 8, 109n],
    ['of servers that have forgotten what they knew', K, 8, 99n],
  ])('knows nothing of a node %s', (_what, directory, sequence, czxid) => {
    const succession = new Succession();
    succession.departed(K, 7, 100n);
    expect(succession.isFirst(directory, sequence, czxid)).toBe(false);
  });

  it('knows nothing of what was on an earlier connection', () => {
    const succession = new Succession();
    succession.departed(K, 7, 100n);
    succession.arrived(K, 8);
    succession.departed(K, 8, 102n);
    expect(succession.isLikely(K)).toBe(true);
    expect(succession.isFirst(K, 9, 110n)).toBe(true);
    succession.forget();
    expect(succession.isLikely(K)).toBe(false);
    expect(succession.isFirst(K, 9, 110n)).toBe(false);
  });

  it('expects to be first where nobody came between the latest two, and nobody of ours is there', () => {
    const succession = new Succession();
    const isLikely = (): boolean => succession.isLikely(K);
    expect(isLikely()).toBe(false);
    succession.departed(K, 7, 100n);
    expect(isLikely()).toBe(false);
    succession.arrived(K, 8);
    succession.departed(K, 8, 102n);
    expect(isLikely()).toBe(true);
    // Another call of this process stands there, or holds it.
    succession.arrived(K, 9);
    expect(isLikely()).toBe(false);
    succession.arrived(K, 10);
    succession.departed(K, 9, 104n);
    expect(isLikely()).toBe(false);
    succession.departed(K, 10, 105n);
    expect(isLikely()).toBe(true);
    // Somebody else has been there.
    succession.arrived(K, 12);
    succession.departed(K, 12, 110n);
    expect(isLikely()).toBe(false);
  });

  it('forgets the directories that were left longest ago', () => {
    const succession = new Succession();
    for (let key = 0; key <= 4_096; key++) succession.departed(`/locks/${key}`, 1, 100n);
    expect(succession.isFirst('/locks/0', 2, 102n)).toBe(false);
    expect(succession.isFirst('/locks/1', 2, 102n)).toBe(true);
    succession.departed('/locks/1', 2, 102n);
    succession.departed('/locks/new', 1, 100n);
    expect(succession.isFirst('/locks/1', 3, 104n)).toBe(true);
    expect(succession.isFirst('/locks/2', 2, 102n)).toBe(false);
  });
});

/** A directory on a server: what is in it, and what comes next. */
class Directory {
  zxid = 0n;
  nodes: { readonly sequence: number; readonly isOurs: boolean }[] = [];
  #next = 0;

  create(isOurs: boolean): number {
    this.zxid++;
    const sequence = this.#next++;
    this.nodes.push({ sequence, isOurs });
    return sequence;
  }

  delete(sequence: number): void {
    this.zxid++;
    this.nodes = this.nodes.filter((node) => node.sequence !== sequence);
  }

  makeAnew(): void {
    this.zxid += 2n;
    this.nodes = [];
    this.#next = 0;
  }
}

it('never takes a node for the first one behind somebody, whatever others do', () => {
  let firsts = 0;
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.constant<'cycle'>('cycle') },
    { weight: 2, arbitrary: fc.constantFrom('others come', 'others go', 'elsewhere') },
    { weight: 1, arbitrary: fc.constant<'made anew'>('made anew') },
  );
  const program = fc.array(fc.tuple(step, fc.nat(5)), { minLength: 10, maxLength: 60 });
  fc.assert(
    fc.property(program, (steps) => {
      const succession = new Succession();
      const directory = new Directory();
      for (const [what, times] of steps) {
        if (what === 'elsewhere') directory.zxid += BigInt(times);
        else if (what === 'made anew') directory.makeAnew();
        else if (what === 'others come') {
          for (let i = 0; i <= times; i++) directory.create(false);
        } else if (what === 'others go') {
          for (const { sequence } of directory.nodes.slice(0, times)) directory.delete(sequence);
        } else {
          const sequence = directory.create(true);
          const czxid = directory.zxid;
          succession.arrived(K, sequence);
          const isAlone = directory.nodes.length === 1;
          if (succession.isFirst(K, sequence, czxid)) {
            expect(isAlone).toBe(true);
            firsts++;
          }
          directory.delete(sequence);
          if (isAlone) succession.departed(K, sequence, czxid);
        }
      }
    }),
    { numRuns: 2_000 },
  );
  expect(firsts).toBeGreaterThan(1_000);
});
