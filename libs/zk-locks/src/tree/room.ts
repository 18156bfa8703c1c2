/** How much is kept of a tree, which strangers can fill, in bytes as they are estimated. */
export class Room {
  constructor(private left: number) {}

  /** False where there is not as much. */
  take(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.left += bytes;
  }
}
