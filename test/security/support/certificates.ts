import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The names in each certificate. */
export const HOST = 'zookeeper.example.com';
export const UNDERSCORED_HOST = 'zoo_1';
export const STORE_PASSWORD = 'changeit';

/**
 * Writes a self-signed certificate to `folder`: with its key as `.p12`, and without it as `.pem`.
 */
export async function makeCertificate(folder: string, name: string): Promise<void> {
  const [key, pem, p12] = ['key', 'pem', 'p12'].map((kind) => join(folder, `${name}.${kind}`));
  const names = `subjectAltName=DNS:${HOST},DNS:${UNDERSCORED_HOST}`;
  const subject = ['-subj', `/CN=${HOST}`, '-addext', names];
  const files = ['-keyout', key!, '-out', pem!];
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files]);
  const store = ['-in', pem!, '-inkey', key!, '-out', p12!, '-passout', `pass:${STORE_PASSWORD}`];
  await run('openssl', ['pkcs12', '-export', ...store]);
}

/** Configures a server with TLS on `port` and the certificate `server` of `folder`. */
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
