import { onTestFinished } from 'vitest';
import { openInspector } from './locks.js';
import { uniqueRoot } from './shared-server.js';

/** A node for this test alone, deleted afterwards together with all nodes below it. */
export async function ownNode(): Promise<string> {
  const inspector = await openInspector();
  const path = uniqueRoot();
  await inspector.create(path, '');
  onTestFinished(() => inspector.deleteTree(path));
  return path;
}
