/** What is asked for by messages and jobs. */
export interface PickOrder {
  readonly sku: string;
  /** How long to wait for others who pick the same article, in milliseconds. */
  readonly patienceMs?: number;
}
