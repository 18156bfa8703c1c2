import type { INestApplication } from '@nestjs/common';
import { Transport } from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import type { AddressInfo, Server } from 'node:net';

/** WebSockets on the port of HTTP, and TCP messages on another one, which it returns. */
export async function addTransports(app: INestApplication, tcpPort: number): Promise<number> {
  app.useWebSocketAdapter(new WsAdapter(app));
  const options = { host: '127.0.0.1', port: tcpPort };
  const microservice = app.connectMicroservice({ transport: Transport.TCP, options });
  await app.startAllMicroservices();
  return (microservice.unwrap<Server>().address() as AddressInfo).port;
}
