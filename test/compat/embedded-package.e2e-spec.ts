import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { fourLetterWord } from '../support/four-letter-word.js';
import { installPacked, run } from './pack.js';

it(
  'serves as a command and as a library, installed from its tarball',
  { timeout: 60_000 },
  async () => {
    const directory = await installPacked('zk-protocol', 'zk-embedded');
    const command = spawn(join(directory, 'node_modules/.bin/zk-embedded'), ['--port', '0']);
    const [line] = (await once(createInterface({ input: command.stdout }), 'line')) as [string];
    const port = Number(/^zk-embedded: serving at 127\.0\.0\.1:(\d+)$/.exec(line)?.[1]);
    expect(await fourLetterWord(port, 'ruok')).toBe('imok');
    command.kill('SIGTERM');
    expect(await once(command, 'exit')).toEqual([0, null]);

    const program = `
    import { EmbeddedZooKeeper } from 'zk-embedded';
    const zk = await EmbeddedZooKeeper.start();
    console.log(JSON.stringify(await zk.sessions()));
    await zk.stop();`;
    const script = join(directory, 'library.js');
    writeFileSync(script, program);
    const { stdout } = await run(process.execPath, [script], { cwd: directory });
    expect(JSON.parse(stdout)).toEqual([]);
  },
);
