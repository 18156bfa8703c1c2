import { onTestFinished } from 'vitest';
import { type AppProcess, startApp } from '../support/app-process.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { isListening } from '../support/is-listening.js';

/** The demo runs with the default client, whatever client these tests are run with. */
export const DEMO_ENV = { ZK_LOCKS_CLIENT: '' } as const;

/** A program of the demo that is ended, at the latest, when the test is over. */
export function startDemo(
  program: 'main' | 'demo',
  env: Readonly<Record<string, string>> = {},
): AppProcess {
  return startApp(`demo/dist/${program}.js`, { ...DEMO_ENV, DEMO_STATE: '', ...env });
}

/** A folder for temporary files, to see what a process leaves there. */
export function ownTempDir(): string {
  const directory = makeTempDir('demo-test');
  onTestFinished(() => {
    removeTempDir(directory);
  });
  return directory;
}

/** The URL of a box office, once it sells. */
export function urlOf(boxOffice: AppProcess): Promise<string> {
  return boxOffice.said(/^Box office: (http:\S+),/m);
}

/** Whether a server listens at `host:port`. */
export function answers(address: string): Promise<boolean> {
  const [host = '', port] = address.split(':');
  return isListening(Number(port), host);
}
