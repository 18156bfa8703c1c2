import { onTestFinished } from 'vitest';
import { OwnProcess, ownProgram } from './own-process.js';
import { waitFor } from './wait-for.js';

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A built program of `apps`, with its own environment variables. */
export class AppProcess extends OwnProcess {
  stdout = '';

  /** @param program its path in `apps`, such as `demo/dist/main.js` */
  constructor(program: string, env: Readonly<Record<string, string>>) {
    super(ownProgram(`apps/${program}`), { ...process.env, PORT: '0', ZK_CONNECT: '', ...env });
    this.child.stdin.end();
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
  }

  /** Its exit code and signal, once its output is complete. */
  async outcome(): Promise<Outcome> {
    await this.ended;
    return { code: this.exitCode, signal: this.exitSignal };
  }

  /** The first group of the pattern, once the output matches. */
  async said(pattern: RegExp): Promise<string> {
    const found = await waitFor(() => pattern.exec(this.stdout) ?? this.hasExited, {
      what: `the program to say ${String(pattern)}`,
      timeoutMs: 60_000,
    });
    if (found === true) throw new Error(`the program ended:\n${this.stdout}${this.errors}`);
    return found[1] ?? '';
  }
}

/** Starts a program that is stopped at the end of the test at the latest. */
export function startApp(program: string, env: Readonly<Record<string, string>> = {}): AppProcess {
  const app = new AppProcess(program, env);
  onTestFinished(() => app.end());
  return app;
}
