import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sharedServer } from '../support/shared-server.js';
import { installPacked, run } from './pack.js';

it('speaks to a server, installed from its tarball', { timeout: 60_000 }, async () => {
  const directory = await installPacked('zk-protocol', 'zk-client');
  const program = `
    import { Connection } from 'zk-client';
    const connection = await Connection.open({
      host: '127.0.0.1',
      port: ${String(sharedServer().port)},
      sessionTimeoutMs: 5_000,
      listener: { onEvent: () => undefined, onEnd: () => undefined },
    });
    console.log(JSON.stringify(await connection.getChildren('/zookeeper')));
    await connection.close();`;
  const script = join(directory, 'program.js');
  writeFileSync(script, program);
  const { stdout } = await run(process.execPath, [script], { cwd: directory });
  expect(JSON.parse(stdout)).toContain('quota');
});
