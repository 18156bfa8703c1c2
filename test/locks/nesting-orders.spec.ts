import { expect, it } from 'vitest';
import { type NestedLock, NestingOrders } from '../../libs/zk-locks/src/grant/nesting-orders.js';

const lock = (key: string, pattern = key): NestedLock => ({ pattern, directory: `/locks/${key}` });

function newOrders(): { orders: NestingOrders; warnings: string[] } {
  const warnings: string[] = [];
  return { orders: new NestingOrders((message) => warnings.push(message)), warnings };
}

it('warns once if two patterns are nested in both orders, with both places', () => {
  const { orders, warnings } = newOrders();
  function reserve(id: number): void {
    orders.note(lock(`order:${id}`, 'order:{id}'), lock(`stock:${id}`, 'stock:{id}'));
  }
  function refill(id: number): void {
    orders.note(lock(`stock:${id}`, 'stock:{id}'), lock(`order:${id}`, 'order:{id}'));
  }
  reserve(1);
  reserve(2);
  expect(warnings).toEqual([]);
  refill(3);
  refill(4);
  reserve(5);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(
    /"order:\{id\}" inside "stock:\{id\}" \(at refill .*\), and "stock:\{id\}" inside "order:\{id\}" \(at reserve /,
  );
  expect(warnings[0]).not.toContain('at NestingOrders.note');
});

it('warns of two keys of one pattern that are nested in both orders of their names', () => {
  const { orders, warnings } = newOrders();
  const account = (id: number): NestedLock => lock(`account:${id}`, 'account:{id}');
  orders.note(account(1), account(2));
  orders.note(account(1), account(3));
  expect(warnings).toEqual([]);
  orders.note(account(3), account(2));
  expect(warnings).toHaveLength(1);
});

it('warns without places in a program that replaces the text of stacks', () => {
  const { orders, warnings } = newOrders();
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  try {
    orders.note(lock('a'), lock('b'));
    orders.note(lock('b'), lock('a'));
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
  expect(warnings).toHaveLength(1);
});

it('does not warn of one order, nor of a key inside itself', () => {
  const { orders, warnings } = newOrders();
  orders.note(lock('a'), lock('b'));
  orders.note(lock('b'), lock('c'));
  orders.note(lock('a'), lock('c'));
  orders.note(lock('a'), lock('a'));
  expect(warnings).toEqual([]);
});

it('remembers no more than 1,000 orders', () => {
  const { orders, warnings } = newOrders();
  for (let index = 0; index < 1_000; index++) orders.note(lock('a'), lock(`b${index}`));
  orders.note(lock('y'), lock('z'));
  orders.note(lock('z'), lock('y'));
  expect(warnings).toEqual([]);
  orders.note(lock('b7'), lock('a'));
  expect(warnings).toEqual([]);
});
