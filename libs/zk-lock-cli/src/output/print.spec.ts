import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { print, toJson } from './print.js';

it('prints as many lines as keys are read', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  print(Array.from({ length: 100_001 }, () => 'a'));
  expect(write.mock.calls).toEqual([['a\n'.repeat(100_001)]]);
});

it('shows in JSON what a reader would not see', () => {
  const keys = ['k5\u202eevil', '\u009b2K', 'a\u00a0b\u3000', '\u3164\u2800', '\u{e0041}', '\n'];
  expect(toJson({ keys })).toBe(
    String.raw`{"keys":["k5\u202eevil","\u009b2K","a\u00a0b\u3000","\u3164\u2800","\udb40\udc41","\n"]}`,
  );
  expect(toJson({ label: 'große Straße 日本 🎟', token: 7n })).toBe(
    '{"label":"große Straße 日本 🎟","token":"7"}',
  );
});

it('says the same as JSON that is not escaped', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = toJson({ [text]: text });
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ [text]: text })));
      expect(json).not.toMatch(/(?! )[\p{C}\p{Z}]/u);
    }),
  );
});
