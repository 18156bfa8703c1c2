/** The order in messages and jobs. */
export interface PickOrder {
  readonly sku: string;
  /** How long to wait for other calls that pick the same article, in milliseconds. */
  readonly patienceMs?: number;
}
