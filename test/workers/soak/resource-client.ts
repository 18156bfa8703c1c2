/** A resource that refuses fencing tokens lower than one it has seen. */
export interface Fenced {
  /** Whether the resource has accepted it. */
  write(grant: number, key: string, token: bigint): Promise<boolean>;
}
