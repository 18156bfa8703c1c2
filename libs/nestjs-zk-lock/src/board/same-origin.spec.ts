import { expect, it } from 'vitest';
import { type Headers, isSameOrigin } from './same-origin.guard.js';

it.each<[sent: Headers, isSame: boolean]>([
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'cross-site', origin: 'https://a', host: 'a' }, false],
  [{ 'sec-fetch-site': 'same-site', origin: 'https://a', host: 'a' }, false],
  [{ 'sec-fetch-site': 'none', origin: 'https://a', host: 'a' }, false],
  [{ origin: 'https://a.example', host: 'a.example' }, true],
  [{ origin: 'http://A.example:8080', host: 'a.example:8080' }, true],
  [{ origin: 'http://a.example:8080', host: 'a.example' }, false],
  [{ origin: 'https://b.example', host: 'a.example' }, false],
  [{ origin: 'null', host: 'a.example' }, false],
  [{ origin: 'https://a.example' }, false],
  [{ host: 'a.example' }, false],
])('recognizes requests of its own page by their headers: %j is %s', (headers, isSame) => {
  expect(isSameOrigin(headers)).toBe(isSame);
});
