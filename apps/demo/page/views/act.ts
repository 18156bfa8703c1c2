/** Sends an action to the demo. */
export type Act = (path: string, body: object) => Promise<void>;

/** The state of the page's actions. */
export interface Acting {
  readonly act: Act;
  /** The paths of requests that have not been answered yet. */
  readonly underWay: ReadonlySet<string>;
  /** Why the last action was refused. */
  readonly refusal: string | undefined;
}
