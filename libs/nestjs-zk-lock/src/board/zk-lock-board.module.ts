import {
  type DynamicModule,
  Inject,
  Module,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { checkOption, readOptions } from 'zk-locks/framework';
import { lockServiceOf } from '../inject-lock-service.decorator.js';
import { closeIfOptionsFail, OPTION_SOURCES, orCloseAll } from '../startup.js';
import { BoardActions } from './board-actions.js';
import { type BoardShape, readShape, resolveBoardOptions } from './board.options.js';
import type { BoardGuard, ResolvedBoardOptions, ZkLockBoardOptions } from './board.options.js';
import { BoardFiles } from './board-files.js';
import { Board } from './board.js';
import { BOARD_OPTIONS, createBoardController } from './board.controller.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN,
  type OPTIONS_TYPE,
} from './zk-lock-board.module-definition.js';

/** JavaScript callers can omit the options. */
type Given<Options> = Partial<Options> | undefined;

const ASYNC_OPTIONS = [
  ...OPTION_SOURCES,
  ...['guards', 'hosts', 'actionGuards', 'path', 'version', 'connection'],
];

/**
 * Mounts the lock board: a page that shows who holds and awaits the locks of all processes, and what
 * is wrong with them.
 *
 * The board is a Nest controller at `path`, so the global prefix, versions, guards and interceptors apply to it.
 *
 * @publicApi
 */
@Module({})
export class ZkLockBoardModule
  extends ConfigurableModuleClass
  implements OnModuleInit, OnModuleDestroy
{
  constructor(
    @Inject(Board) private readonly board: Board,
    @Inject(BoardFiles) private readonly files: BoardFiles,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {
    super();
  }

  /**
   * @example
   * ```ts
   * ZkLockBoardModule.forRoot({ path: 'locks', guards: [AdminGuard] })
   * ```
   *
   * @throws {ZkLockConfigError} without `guards`, with `readOnly: false` without `actionGuards`, and
   * for an option that is unknown or malformed
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    const { guards, hosts, actionGuards, path, version, connection, imports, ...own } =
      (options as Given<typeof options>) ?? {};
    const shape = readShape({ guards, hosts, actionGuards, path, version, connection });
    resolveBoardOptions(own, shape);
    return mount({ ...super.forRoot(own), imports: imports ?? [] }, shape);
  }

  /**
   * @example
   * ```ts
   * ZkLockBoardModule.forRootAsync({
   *   guards: [AdminGuard],
   *   actionGuards: [OperatorGuard],
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ readOnly: !config.get('LOCK_ACTIONS') }),
   * })
   * ```
   *
   * @param options `useFactory` with `inject`, `useClass` or `useExisting` of a
   * {@link ZkLockBoardOptionsFactory}; pass {@link ZkLockBoardExtras} next to it
   * @throws as {@link forRoot}
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    const { guards, hosts, actionGuards, path, version, connection, ...own } = readOptions(
      options as Given<typeof options>,
      ASYNC_OPTIONS,
      { elsewhere: 'The factory returns readOnly, longWaitMs and longHoldMs.' },
    );
    const shape = readShape({ guards, hosts, actionGuards, path, version, connection });
    checkOption('forRootAsync', own);
    return mount(closeIfOptionsFail(super.forRootAsync(own), MODULE_OPTIONS_TOKEN), shape);
  }

  async onModuleInit(): Promise<void> {
    await orCloseAll(this.modules, async () => {
      await this.files.check();
      this.board.start();
    });
  }

  /** Ends the streams of changes, which would otherwise delay the shutdown of the server. */
  async onModuleDestroy(): Promise<void> {
    await this.board.close();
  }
}

function mount(definition: DynamicModule, shape: BoardShape): DynamicModule {
  const { connection, guards, actionGuards = [] } = shape;
  return {
    ...definition,
    controllers: [createBoardController(shape)],
    providers: [
      ...(definition.providers ?? []),
      ...[...guards, ...actionGuards].filter(isClass),
      { provide: BoardFiles, useFactory: () => new BoardFiles() },
      {
        provide: BOARD_OPTIONS,
        inject: [MODULE_OPTIONS_TOKEN, ModulesContainer],
        useFactory: (given: ZkLockBoardOptions, modules: ModulesContainer) =>
          orCloseAll(modules, () => resolveBoardOptions(given, shape)),
      },
      {
        provide: Board,
        inject: [ModuleRef, BOARD_OPTIONS, ModulesContainer],
        useFactory: (
          moduleRef: ModuleRef,
          options: ResolvedBoardOptions,
          modules: ModulesContainer,
        ) => new Board(() => lockServiceOf(moduleRef, connection), options, connection, modules),
      },
      {
        provide: BoardActions,
        inject: [ModuleRef, BOARD_OPTIONS],
        useFactory: (moduleRef: ModuleRef, { readOnly }: ResolvedBoardOptions) =>
          new BoardActions(() => lockServiceOf(moduleRef, connection), connection, readOnly),
      },
    ],
  };
}

const isClass = (guard: BoardGuard) => typeof guard === 'function';
