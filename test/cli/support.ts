import { sharedServer } from '../support/shared-server.js';
import { type CallResult, type Cli, run, start } from './cli-process.js';

export * from './cli-process.js';

/** Starts `zk-lock` with the shared server. It is killed at the end of the test. */
export function startCli(
  args: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv> = {},
): Cli {
  return start(args, withServer(environment));
}

/** Runs `zk-lock` with the shared server to its end. */
export function runCli(
  args: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv> = {},
): Promise<CallResult> {
  return run(args, withServer(environment));
}

export function withServer(environment: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  return { ZK_CONNECT: sharedServer().connectString, ...environment };
}
