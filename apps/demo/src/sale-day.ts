import type { Sale, ShowSales } from './box-office.service.js';

export interface SaleDay {
  readonly purchases: number;
  readonly counted: number;
  readonly lost: number;
  readonly ms: number;
}

/**
 * Buys all the tickets of a show at once, in turn from each box office, and asks one of them
 * afterwards how many it has sold.
 *
 * @param query appended to the URL of each purchase
 * @throws {Error} when a purchase is refused, because the count would be wrong
 */
export async function sellOut(
  show: string,
  purchases: number,
  urls: readonly string[],
  query: string,
  signal: AbortSignal,
): Promise<SaleDay> {
  const start = performance.now();
  const buy = (_: unknown, index: number): Promise<Sale> =>
    request(`${urls[index % urls.length] ?? ''}/shows/${show}/tickets${query}`, 'POST', signal);
  await Promise.all(Array.from({ length: purchases }, buy));
  const ms = Math.round(performance.now() - start);
  const { sold } = await request<ShowSales>(`${urls[0] ?? ''}/shows/${show}`, 'GET', signal);
  return { purchases, counted: sold, lost: purchases - sold, ms };
}

async function request<T>(url: string, method: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(url, { method, signal });
  if (!response.ok) {
    throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as T;
}
