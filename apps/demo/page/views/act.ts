/** Asks the demo for something. */
export type Act = (path: string, body: object) => Promise<void>;

/** What has been asked for. */
export interface Acting {
  readonly act: Act;
  /** The paths of what is not answered yet. */
  readonly underWay: ReadonlySet<string>;
  /** Why the last action was refused. */
  readonly refusal: string | undefined;
}
