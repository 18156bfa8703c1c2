import { onTestFinished } from 'vitest';
import { openInspector } from './locks.js';
import { uniqueRoot } from './shared-server.js';

/** A node of the test's own, removed after the test with all nodes below it. */
export async function ownNode(): Promise<string> {
  const inspector = await openInspector();
  const path = uniqueRoot();
  await inspector.create(path, '');
  onTestFinished(() => inspector.deleteTree(path));
  return path;
}
