import { expect, it, onTestFinished, vi } from 'vitest';
import { useTestApps } from '../nest/support/test-apps.js';
import { sharedServer } from '../support/shared-server.js';
import { OpsModule } from './examples/board.module.js';

const apps = useTestApps();

it('docs/board.md: staff see the board, operators act, and admins break', async () => {
  const app = await apps.build({ imports: [apps.zkLock(), OpsModule] });
  // Acts like a guard of the whole application.
  app.use(
    (
      request: { headers: Record<string, string>; user?: unknown },
      _: unknown,
      next: () => void,
    ) => {
      const { roles } = request.headers;
      if (roles) request.user = { roles: roles.split(' ') };
      next();
    },
  );
  await app.listen(0, '127.0.0.1');
  const url = `${await app.getUrl()}/ops/locks`;
  const as = async (roles: string): Promise<unknown> => {
    const response = await fetch(`${url}/overview`, { headers: { roles } });
    return response.ok ? ((await response.json()) as { may: unknown }).may : response.status;
  };
  const none = { revoke: false, break: false, setPermits: false, resign: false };
  expect(await as('')).toBe(403);
  expect(await as('staff')).toEqual(none);
  expect(await as('staff operator')).toEqual({
    revoke: true,
    break: false,
    setPermits: true,
    resign: true,
  });
  expect(await as('staff admin')).toEqual({ ...none, break: true });
});

it('docs/board.md: a module has the board at /locks', async () => {
  vi.stubEnv('ZK_CONNECT', sharedServer().connectString + apps.root);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { LocalModule } = await import('./examples/local.module.js');
  const app = await apps.build({ imports: [LocalModule] });
  await app.listen(0, '127.0.0.1');
  const response = await fetch(`${await app.getUrl()}/locks`);
  expect(response.headers.get('content-type')).toContain('text/html');
});
