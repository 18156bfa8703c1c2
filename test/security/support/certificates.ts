import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The name that each certificate is for. */
export const HOST = 'zookeeper.example.com';
export const STORE_PASSWORD = 'changeit';

/** Writes a self-signed certificate to `folder`: with its key as `.p12`, and without as `.pem`. */
export async function makeCertificate(folder: string, name: string): Promise<void> {
  const store = ['-keystore', join(folder, `${name}.p12`), '-storetype', 'PKCS12'];
  const key = ['-alias', name, '-storepass', STORE_PASSWORD];
  const kind = ['-keyalg', 'RSA', '-dname', `CN=${HOST}`, '-ext', `SAN=dns:${HOST}`];
  await run('keytool', ['-genkeypair', ...store, ...key, ...kind]);
  const file = ['-rfc', '-file', join(folder, `${name}.pem`)];
  await run('keytool', ['-exportcert', ...store, ...key, ...file]);
}

/** Writes the store `file` to `folder`, with the certificate that a server trusts. */
export async function makeTrustStore(folder: string, file: string, name: string): Promise<void> {
  const store = ['-keystore', join(folder, file), '-storetype', 'PKCS12'];
  const certificate = ['-alias', name, '-file', join(folder, `${name}.pem`)];
  const password = ['-storepass', STORE_PASSWORD, '-noprompt'];
  await run('keytool', ['-importcert', ...store, ...certificate, ...password]);
}

/** The configuration of a server that speaks TLS at `port`, with the certificate `server` of `folder`. */
export function speakingTls(folder: string, port: number, clientAuth: 'none' | 'need' = 'none') {
  return {
    secureClientPort: port,
    secureClientPortAddress: '127.0.0.1',
    serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
    'ssl.keyStore.location': join(folder, 'server.p12'),
    'ssl.keyStore.password': STORE_PASSWORD,
    'ssl.clientAuth': clientAuth,
  };
}
