import { describe, expect, it } from 'vitest';
import { checkDeletable, checkPath, nameOf, parentOf } from './node-path.js';

describe('checkPath', () => {
  it.each([
    ...['/', '/a', '/a/b', '/...', '/.a', '/a.', '/a..', '/..a/b', '/ ', '/ä', '/\u00a0'],
    ...['/\ud7ff', '/\uf900', '/\uffef', '/a/.b/..c', '/zookeeper'],
  ])('takes %j', (path) => {
    expect(() => checkPath(path)).not.toThrow();
  });

  it.each([
    ...['', 'a', 'a/b', ' /a', '//', '/a/', '/a//b', '/.', '/..', '/a/.', '/a/..', '/./a', '/../a'],
    ...['/a/./b', '/\u0000', '/a\u0001', '/\u001f', '/\u007f', '/\u009f', '/\ud800', '/\uf8ff'],
    ...['/\ufff0', '/\uffff', '/\u{1f600}'],
  ])('refuses %j', (path) => {
    expect(() => checkPath(path)).toThrow('badArguments');
  });
});

describe('checkDeletable', () => {
  it.each(['', 'a', '/', '/zookeeper', '/zookeeper/config', '/zookeeper/quota', '/a\u0000'])(
    'refuses %j',
    (path) => {
      expect(() => checkDeletable(path)).toThrow('badArguments');
    },
  );

  it.each(['/a', '/zookeeper/quota/a', '/a/', 'a/b', '/.'])('takes %j', (path) => {
    expect(() => checkDeletable(path)).not.toThrow();
  });
});

describe('parentOf and nameOf', () => {
  it.each([
    { path: '/', parent: '/', name: '' },
    { path: '/a', parent: '/', name: 'a' },
    { path: '/a/b', parent: '/a', name: 'b' },
    { path: '/a/', parent: '/a', name: '' },
    { path: 'a/b', parent: 'a', name: 'b' },
  ])('take $path apart', ({ path, parent, name }) => {
    expect(parentOf(path)).toBe(parent);
    expect(nameOf(path)).toBe(name);
  });
});
