import {
  applyDecorators,
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Post,
  Query,
  Req,
  Res,
  Sse,
  StreamableFile,
  type Type,
  UseGuards,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Observable, takeUntil } from 'rxjs';
import { onClientGone } from '../transport/caller-gone.js';
import { ActionAccess } from './action-access.js';
import { ActionLogGuard } from './action-log.guard.js';
import { ActionOf } from './board-action.js';
import { BoardActions } from './board-actions.js';
import type { BoardAction, BoardGroups, BoardKey, BoardKeys, BoardOverview } from './board-api.js';
import type { BoardShape, ResolvedBoardOptions } from './board.options.js';
import { Board, type ChangeMessage } from './board.js';
import { type BoardFile, BoardFiles, FILES } from './board-files.js';
import { BoardHeaders } from './board-headers.interceptor.js';
import type { Sight } from './contender-view.js';
import { readKeysQuestion, readOffset } from './key-rows.js';
import { SameOriginGuard } from './same-origin.guard.js';

/** The board's options, checked and completed. */
export const BOARD_OPTIONS = Symbol('nestjs-zk-lock:board-options');

interface AnyRequest {
  readonly url: string;
  readonly originalUrl?: string;
}

type AnyQuery = Readonly<Record<string, unknown>>;

/** Creates the Nest controller at the board's path, behind its guards. */
export function createBoardController({ path, version, guards, actionGuards }: BoardShape): Type {
  const segment = path.slice(path.lastIndexOf('/') + 1);
  const mayAct = [SameOriginGuard, ...(actionGuards ?? [])];
  /** Marks a handler that carries out an action. */
  const Action = (action: BoardAction, name: string = action): MethodDecorator =>
    applyDecorators(Post(`actions/${name}`), HttpCode(200), ActionOf(action), UseGuards(...mayAct));

  @Controller({ path, version: version ?? VERSION_NEUTRAL })
  @UseGuards(ActionLogGuard, ...guards)
  @UseInterceptors(BoardHeaders)
  class ZkLockBoardController {
    readonly #access: ActionAccess;

    constructor(
      @Inject(Board) private readonly board: Board,
      @Inject(BoardActions) private readonly actions: BoardActions,
      @Inject(BoardFiles) private readonly files: BoardFiles,
      @Inject(BOARD_OPTIONS) private readonly options: ResolvedBoardOptions,
      @Inject(ModuleRef) moduleRef: ModuleRef,
    ) {
      const { prototype } = ZkLockBoardController;
      this.#access = new ActionAccess(moduleRef, actionGuards ?? [], (action) =>
        Reflect.get(prototype, action === 'break' ? 'breakLock' : action),
      );
    }

    @Get()
    async page(@Req() { url, originalUrl = url }: AnyRequest): Promise<StreamableFile> {
      const isFolder = /^[^?#]*\/(?:$|[?#])/.test(originalUrl);
      return fileOf('index.html', await this.files.page(isFolder ? '.' : segment));
    }

    @Get('board.js')
    async script(): Promise<StreamableFile> {
      return fileOf('board.js', await this.files.read('board.js'));
    }

    @Get('board.css')
    async styles(): Promise<StreamableFile> {
      return fileOf('board.css', await this.files.read('board.css'));
    }

    @Get('overview')
    async overview(@Req() request: object): Promise<BoardOverview> {
      const may = async (action: BoardAction): Promise<boolean> => this.#may(request, action);
      return this.board.overview({
        revoke: await may('revoke'),
        break: await may('break'),
        setPermits: await may('setPermits'),
        resign: await may('resign'),
      });
    }

    @Get('keys')
    async keys(@Query() query: AnyQuery, @Req() request: object): Promise<BoardKeys> {
      return this.board.keys(readKeysQuestion(query), await this.#sight(request));
    }

    @Get('groups')
    async groups(@Query() query: AnyQuery): Promise<BoardGroups> {
      return this.board.groups(readKeysQuestion(query));
    }

    @Get('key')
    async key(@Query() query: AnyQuery, @Req() request: object): Promise<BoardKey> {
      const { key: name, offset } = query;
      const sight = await this.#sight(request);
      if (typeof name !== 'string') throw new BadRequestException('`key` must be a string.');
      return this.board.key(name, readOffset(offset), sight);
    }

    @Sse('changes')
    changes(@Res({ passthrough: true }) response: unknown): Observable<ChangeMessage> {
      // Nest before 11.1.25 does not notice a viewer that leaves while a guard is deciding.
      const left = new Observable<void>((viewer) => onClientGone(response, () => viewer.next()));
      return this.board.changes().pipe(takeUntil(left));
    }

    @Action('revoke')
    async revoke(@Body() body: unknown, @Req() request: object): Promise<Answer> {
      return this.#perform('revoke', body, request);
    }

    @Action('break')
    async breakLock(@Body() body: unknown, @Req() request: object): Promise<Answer> {
      return this.#perform('break', body, request);
    }

    @Action('setPermits', 'set-permits')
    async setPermits(@Body() body: unknown, @Req() request: object): Promise<Answer> {
      return this.#perform('setPermits', body, request);
    }

    @Action('resign')
    async resign(@Body() body: unknown, @Req() request: object): Promise<Answer> {
      return this.#perform('resign', body, request);
    }

    async #perform(action: BoardAction, body: unknown, request: object): Promise<Answer> {
      return { text: await this.actions.perform(action, body, request) };
    }

    async #may(request: object, action: BoardAction): Promise<boolean> {
      return !this.options.readOnly && this.#access.may(request, action);
    }

    /** A client that knows the id of a session can end it, which breaks its locks. */
    async #sight(request: object): Promise<Sight> {
      return { showsSessions: await this.#may(request, 'break') };
    }
  }
  // The board is not part of the application's own API.
  Reflect.defineMetadata('swagger/apiExcludeController', [true], ZkLockBoardController);
  return ZkLockBoardController;
}

interface Answer {
  readonly text: string;
}

function fileOf(name: BoardFile, content: Buffer): StreamableFile {
  return new StreamableFile(content, { type: FILES[name], length: content.length });
}
