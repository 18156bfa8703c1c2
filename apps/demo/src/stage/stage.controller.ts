import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Injectable,
  type MessageEvent,
  ParseEnumPipe,
  Post,
  Sse,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Observable, map } from 'rxjs';
import type { Fault, SaleKind } from './stage-api.js';
import { Stage } from './stage.js';

/** The page runs nothing but its own script. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const KINDS = new ParseEnumPipe({ unlocked: 'unlocked', locked: 'locked' });
const FAULTS = new ParseEnumPipe({ stop: 'stop', kill: 'kill', cut: 'cut' });

/** Refuses requests that a page of another site makes the browser send. */
@Injectable()
export class OwnPage implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context
      .switchToHttp()
      .getRequest<{ headers: Readonly<Record<string, string | undefined>> }>();
    return (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
  }
}

@Controller()
export class StageController {
  constructor(private readonly stage: Stage) {}

  @Get()
  @Header('Content-Security-Policy', POLICY)
  page(): StreamableFile {
    return pageFile('index.html', 'text/html; charset=utf-8');
  }

  @Get('stage.js')
  script(): StreamableFile {
    return pageFile('stage.js', 'text/javascript; charset=utf-8');
  }

  @Get('stage.css')
  styles(): StreamableFile {
    return pageFile('stage.css', 'text/css; charset=utf-8');
  }

  @Sse('stage')
  changes(): Observable<MessageEvent> {
    return this.stage.views().pipe(map((data) => ({ data })));
  }

  @Post('stage/sell')
  @HttpCode(HttpStatus.NO_CONTENT)
  @UseGuards(OwnPage)
  sell(@Body('kind', KINDS) kind: SaleKind): Promise<void> {
    return this.stage.sell(kind);
  }

  @Post('stage/fail')
  @HttpCode(HttpStatus.NO_CONTENT)
  @UseGuards(OwnPage)
  fail(@Body('fault', FAULTS) fault: Fault): Promise<void> {
    return this.stage.fail(fault);
  }

  @Post('stage/restore')
  @HttpCode(HttpStatus.NO_CONTENT)
  @UseGuards(OwnPage)
  restore(): Promise<void> {
    return this.stage.restore();
  }
}

/** The build puts the page's files beside the programs. */
function pageFile(name: string, type: string): StreamableFile {
  const path = fileURLToPath(new URL(`../page/${name}`, import.meta.url));
  return new StreamableFile(createReadStream(path), { type });
}
