import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  RequestMethod,
  VersioningType,
} from '@nestjs/common';
import { map } from 'rxjs';
import { ZkLockConfigError } from 'nestjs-zk-lock';
import { ZkLockBoardModule } from 'nestjs-zk-lock/board';
import { describe, expect, it } from 'vitest';
import { PLATFORMS } from '../nest/support/platforms.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { startBoard } from './support/board-app.js';

const apps = useTestApps();

const CSP = /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/;

describe.each(PLATFORMS)('the board on %s', (_name, newAdapter) => {
  it('consists of three files at its path, and may load nothing else', async () => {
    const { get } = await startBoard(apps, { adapter: newAdapter() });
    const page = await get('');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(CSP);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const text = await page.text();
    expect(text).toContain('src="locks/board.js"');
    expect(text).not.toContain('{{');
    for (const [file, type] of [
      ['board.js', 'text/javascript; charset=utf-8'],
      ['board.css', 'text/css; charset=utf-8'],
    ]) {
      const response = await get(`/${file}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect((await response.text()).length).toBeGreaterThan(1_000);
    }
    const overview = await get('/overview');
    expect(overview.headers.get('cache-control')).toBe('no-store');
  });

  it('is served below the global prefix and its version, with links that lead there', async () => {
    const { get } = await startBoard(apps, {
      adapter: newAdapter(),
      board: { path: '/ops/locks/', version: '2' },
      at: 'api/v2/ops/locks',
      configure: (app) => {
        app.setGlobalPrefix('api', { exclude: [{ path: 'health', method: RequestMethod.GET }] });
        app.enableVersioning({ type: VersioningType.URI });
      },
    });
    expect(await (await get('')).text()).toContain('href="locks/board.css"');
    expect((await get('/keys')).status).toBe(200);
  });

  it('is completely behind its own guards, the global guards and the interceptors', async () => {
    const seen: string[] = [];
    const { get, act } = await startBoard(apps, {
      adapter: newAdapter(),
      board: { guards: [TokenGuard], imports: [TokensModule] },
      configure: (app) => {
        app.useGlobalInterceptors({
          intercept: (context, next) => {
            seen.push(context.getHandler().name);
            return next.handle().pipe(map((value: unknown) => value));
          },
        });
      },
    });
    for (const path of ['', '/board.js', '/overview', '/keys', '/key?key=k', '/changes']) {
      expect((await get(path)).status, path).toBe(403);
    }
    expect((await act('revoke', { key: 'k' })).status).toBe(403);
    expect(seen).toEqual([]);
    const mine = { authorization: 'right' };
    expect((await get('', mine)).status).toBe(200);
    expect((await get('/overview', mine)).status).toBe(200);
    expect(seen).toEqual(['page', 'overview']);
  });
});

@Injectable()
class Tokens {
  isRight(token: unknown): boolean {
    return token === 'right';
  }
}

@Module({ providers: [Tokens], exports: [Tokens] })
class TokensModule {}

@Injectable()
class TokenGuard implements CanActivate {
  constructor(@Inject(Tokens) private readonly tokens: Tokens) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, unknown> }>();
    return this.tokens.isRight(headers.authorization);
  }
}

it('shows a named connection, with options from a factory', async () => {
  const connection = { name: 'archive', root: `${apps.root}/archive` };
  const app = await apps.start({
    imports: [
      apps.zkLock(connection),
      ZkLockBoardModule.forRootAsync({
        connection: 'archive',
        guards: 'none',
        path: 'archive-locks',
        useFactory: async () => Promise.resolve({ longWaitMs: 1_000 }),
      }),
    ],
  });
  await app.listen(0, '127.0.0.1');
  const response = await fetch(`${await app.getUrl()}/archive-locks/overview`);
  expect(await response.json()).toMatchObject({ connection: 'archive', root: connection.root });
});

it('refuses to be open to everyone unless configured so', () => {
  const forRoot = (options: object) => (): unknown => ZkLockBoardModule.forRoot(options);
  const refused = (options: object, message: RegExp): void => {
    expect(forRoot(options)).toThrow(ZkLockConfigError);
    expect(forRoot(options)).toThrow(message);
  };
  refused(
    {},
    /`guards` must be an array of Nest guards that decide .*, or 'none'.*got undefined.*\[AdminGuard\]/,
  );
  refused(
    undefined as unknown as object,
    /`guards` must be an array of Nest guards that decide .*, or 'none'.*got undefined.*\[AdminGuard\]/,
  );
  refused({ guards: [] }, /`guards` must be/);
  refused({ guards: [{}] }, /`guards` must be/);
  refused({ guards: 'none', readOnly: false }, /`actionGuards` is missing/);
  refused({ guards: 'none', actionGuards: [7] }, /`actionGuards` must be/);
  refused({ guards: 'none', path: '/' }, /`path` must be/);
  refused({ guards: 'none', path: 'a b' }, /`path` must be/);
  // The page would look for its script at /ops/:tenant/board.js.
  refused({ guards: 'none', path: 'ops/:tenant' }, /`path` must be a path of letters, digits/);
  refused({ guards: 'none', readonly: true }, /`readonly` is not an option/);
  refused(
    { guards: 'none', host: ['locks.example.com'] },
    /`host` is not an option\. Use readOnly, .* also have guards, hosts, actionGuards, path, /,
  );
  refused({ guards: 'none', longWaitMs: '5s' }, /`longWaitMs` must be/);
  const none = undefined as unknown as Parameters<typeof ZkLockBoardModule.forRootAsync>[0];
  expect(() => ZkLockBoardModule.forRootAsync(none)).toThrow(
    /`guards` must be an array of Nest guards/,
  );
  expect(() => ZkLockBoardModule.forRootAsync({ guards: 'none' })).toThrow(
    /`forRootAsync` must be/,
  );
  const misplaced = { guards: 'none', useFactory: () => ({}), readOnly: false } as const;
  expect(() => ZkLockBoardModule.forRootAsync(misplaced)).toThrow(
    /`readOnly` is not an option\. Use useFactory, .* The factory returns readOnly, /,
  );
});
