import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import { CommandProcess } from '../../support/command-process.js';
import { ownProgram } from '../../support/own-process.js';
import type { Commands } from '../../workers/application/protocol.js';

/** A process (`test/workers/application`) with locks and a board, which it reads itself. */
export class Application extends CommandProcess<Commands> {
  static async start(options: ZkLockModuleOptions): Promise<Application> {
    const program = ownProgram('dist/test/workers/application/main.js', '--expose-gc');
    const application = new Application([...program, JSON.stringify(options)], 'the application');
    await application.ready(20_000);
    return application;
  }
}
