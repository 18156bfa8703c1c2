import { types } from 'node:util';
import { isArray } from './options/given.js';

/** Something that was given as a key, or as a part of one, and is not a text. */
interface KeyValue {
  /** As the end of a sentence: `a Date`. Looks at it without running code of its own. */
  readonly kind: string;
  /** A key made of such a value, of which `name` is the name; where there is a usual one. */
  readonly example?: { readonly name: string; readonly key: string };
}

export function describeKeyValue(value: unknown): KeyValue {
  if (value === '') return { kind: 'an empty text' };
  if (value === null || value === undefined) return { kind: String(value) };
  if (Number.isNaN(value)) return { kind: 'NaN' };
  if (typeof value !== 'object') return { kind: `a ${typeof value}` };
  if (types.isPromise(value)) return { kind: 'a promise' };
  if (types.isDate(value)) return named('a Date', 'date', 'date.toISOString()');
  if (isArray(value)) return named('an array', 'ids', "ids.join(',')");
  return named('an object', 'order', 'order.id');
}

function named(kind: string, name: string, text: string): KeyValue {
  return { kind, example: { name, key: `\`order:\${${text}}\`` } };
}
