import { beforeAll, onTestFinished } from 'vitest';
import type { StageView } from '../../apps/demo/src/stage/stage-api.js';
import { AppProcess, startApp } from '../support/app-process.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { isListening } from '../support/is-listening.js';

/** The demo runs with the default client, regardless of the client of these tests. */
export const DEMO_ENV = { ZK_LOCKS_CLIENT: '' } as const;

/** Starts a program of the demo, which is killed at the end of the test. */
export function startDemo(
  program: 'main' | 'demo',
  env: Readonly<Record<string, string>> = {},
): AppProcess {
  return startApp(`demo/dist/${program}.js`, { ...DEMO_ENV, DEMO_STATE: '', ...env });
}

/** Starts the program of `npm start`, shared by all tests of a file. */
export function useDemo(): {
  readonly stage: AppProcess;
  readonly url: string;
  readonly folder: string;
} {
  const demo = {} as { stage: AppProcess; url: string; folder: string };
  beforeAll(async () => {
    demo.folder = makeTempDir('demo-test');
    const env = { ...DEMO_ENV, DEMO_STATE: '', TMPDIR: demo.folder };
    demo.stage = new AppProcess('demo/dist/main.js', env);
    demo.url = await pageOf(demo.stage);
    return async () => {
      await demo.stage.end();
      removeTempDir(demo.folder);
    };
  });
  return demo;
}

/** A directory for temporary files, to see what a process leaves there. */
export function ownTempDir(): string {
  const directory = makeTempDir('demo-test');
  onTestFinished(() => {
    removeTempDir(directory);
  });
  return directory;
}

/** The URL of the page. Resolves once it is served. */
export function pageOf(stage: AppProcess): Promise<string> {
  return stage.said(/^Demo: (http:\S+) /m);
}

/** The first view that the page receives. */
export async function firstView(url: string): Promise<StageView> {
  const closing = new AbortController();
  const { body } = await fetch(`${url}/stage`, { signal: closing.signal });
  let text = '';
  try {
    for await (const chunk of body!) {
      text += Buffer.from(chunk as Uint8Array).toString();
      const [, data] = /^data: (.*)\n\n/m.exec(text) ?? [];
      if (data !== undefined) return JSON.parse(data) as StageView;
    }
  } finally {
    closing.abort();
  }
  throw new Error(`The stream has ended: ${text}`);
}

/** Whether a server listens at `host:port`. */
export function answers(address: string): Promise<boolean> {
  const [host = '', port] = address.split(':');
  return isListening(Number(port), host);
}
