import { readFileSync } from 'node:fs';
import { ZkLockModule } from 'nestjs-zk-lock';

declare const credentials: { username: string; password: string };

export const withUser = () =>
  ZkLockModule.forRoot({
    servers: 'zk1:2181,zk2:2181',
    credentials: { username: 'billing', password: process.env.ZK_PASSWORD! },
  });

export const withTls = () =>
  ZkLockModule.forRoot({
    servers: 'zk1.example.com:2281,zk2.example.com:2281,zk3.example.com:2281',
    credentials,
    tls: { ca: readFileSync('/etc/zookeeper/ca.pem') },
  });

export const byStunnel = () =>
  ZkLockModule.forRoot({ client: 'native', servers: '127.0.0.1:2181' });
