import { Injectable } from '@nestjs/common';
import { Locked } from 'nestjs-zk-lock';

export interface Order {
  readonly id: number;
  readonly customer: { readonly country: string };
}

/** The only place that defines the key of an order's lock. */
export const orderKey = (order: Pick<Order, 'id'>): string => `order:${order.id}`;

@Injectable()
export class KeyService {
  /** A string: the same key for all calls. */
  @Locked('nightly-report')
  async report(): Promise<string> {
    return Promise.resolve('nightly-report');
  }

  /** A template: `{0}` is the first argument, `{0.id}` a property of it. */
  @Locked('tax:{0.customer.country}:{1}')
  async tax(order: Order, year: number): Promise<string> {
    return Promise.resolve(`tax:${order.customer.country}:${year}`);
  }

  /** A function of the arguments, checked by the compiler. */
  @Locked((order: Order) => orderKey(order))
  async ship(order: Order): Promise<string> {
    return Promise.resolve(orderKey(order));
  }

  /** Several keys: all or none, in the same order everywhere. */
  @Locked(['account:{0}', 'account:{1}'])
  async transfer(from: string, to: string): Promise<string[]> {
    return Promise.resolve([`account:${from}`, `account:${to}`].toSorted());
  }
}
