import { onTestFinished } from 'vitest';
import { LinkedEnsemble } from './linked-ensemble.js';

/** An ensemble with links that can be frozen, ended when the test is over. */
export async function openLinkedEnsemble(): Promise<LinkedEnsemble> {
  const ensemble = await LinkedEnsemble.start();
  onTestFinished(() => ensemble.stop());
  return ensemble;
}
