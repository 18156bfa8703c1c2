import { describe, expect, it } from 'vitest';
import { DEFAULT_QUERY, hashOf, type Route, routeOf } from './route.js';

const keys = (query: object): Route => ({ view: 'keys', query: { ...DEFAULT_QUERY, ...query } });

describe('the address of the page', () => {
  it.each<[string, Route]>([
    ['#', keys({})],
    ['#application', { view: 'application' }],
    ['#key=order:42', { view: 'key', key: 'order:42', offset: 0 }],
    ['#key=a/b&offset=200', { view: 'key', key: 'a/b', offset: 200 }],
    ['#filter=ship&busy=1', keys({ filter: 'ship', isBusyOnly: true })],
    ['#prefix=order:&grouped=1', keys({ prefix: 'order:', isGrouped: true })],
    ['#sort=waiting&order=desc&offset=400', keys({ sort: 'waiting', order: 'desc', offset: 400 })],
  ])('%s is read as it is written', (hash, route) => {
    expect(routeOf(hash)).toEqual(route);
    expect(hashOf(route)).toBe(hash);
  });

  it.each(['', 'a b', 'ключ', '&key=x', '#', '100%', '<b>', '+', 'a%2Fb', '\u202e', '?'])(
    'names the key "%s" and no other',
    (key) => {
      const route: Route = { view: 'key', key, offset: 0 };
      expect(routeOf(hashOf(route))).toEqual(route);
    },
  );

  it.each(['#sort=hash&order=up', '#offset=-1', '#offset=1e9', '#busy=yes', '#what'])(
    "is the list's if the address makes no sense: %s",
    (hash) => {
      expect(routeOf(hash)).toEqual(keys({}));
    },
  );
});
