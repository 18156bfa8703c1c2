import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir, removeTempDir } from './temp-dir.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from './zookeeper-server.js';

export interface SaslServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts a server with users for SASL DIGEST-MD5. */
export async function startSaslServer(
  passwords: Readonly<Record<string, string>>,
  { systemProperties, ...options }: Omit<ZooKeeperServerOptions, 'extraConfig'> = {},
): Promise<SaslServer> {
  const folder = makeTempDir('sasl');
  const file = join(folder, 'jaas.conf');
  const users = Object.entries(passwords).map(
    ([user, password]) => `user_${user}="${password.replaceAll('"', '\\"')}"`,
  );
  const module = 'org.apache.zookeeper.server.auth.DigestLoginModule';
  writeFileSync(file, `Server { ${module} required ${users.join(' ')}; };`);
  const server = await ZooKeeperServer.start({
    ...options,
    extraConfig: {
      'authProvider.1': 'org.apache.zookeeper.server.auth.SASLAuthenticationProvider',
    },
    systemProperties: { 'java.security.auth.login.config': file, ...systemProperties },
  });
  return {
    port: server.port,
    async [Symbol.asyncDispose]() {
      await server.stop();
      removeTempDir(folder);
    },
  };
}
