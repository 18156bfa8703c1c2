import { onTestFinished } from 'vitest';
import { LinkedEnsemble } from './linked-ensemble.js';

/** An ensemble with links that can be frozen, ended when the test is over. */
export async function openLinkedEnsemble(
  options?: Parameters<typeof LinkedEnsemble.start>[0],
): Promise<LinkedEnsemble> {
  const ensemble = await LinkedEnsemble.start(options);
  onTestFinished(() => ensemble.stop());
  return ensemble;
}
