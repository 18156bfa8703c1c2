import { onTestFinished } from 'vitest';
import { FaultyEnsemble } from './faulty-ensemble.js';

/** Three servers whose links to each other can be frozen, ended when the test is over. */
export async function openLinkedEnsemble(): Promise<FaultyEnsemble> {
  const ensemble = await FaultyEnsemble.start();
  onTestFinished(() => ensemble.stop());
  return ensemble;
}
