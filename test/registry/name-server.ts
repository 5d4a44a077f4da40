/** A small name server: addresses, and TXT records; over UDP, and over TCP when they do not fit. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIP } from 'node:net';
import dnsPacket from 'dns-packet';
import type { Test } from 'tap';

/** Responds with the current `records`; a record is a list of parts of at most 255 bytes. */
export type TestNameServer = {
  /** `host:port`, for a resolver. */
  readonly address: string;
  /** By name, in lower case. Other names do not exist. */
  readonly records: Map<string, readonly (readonly string[])[]>;
  /** IPv4 and IPv6 addresses by name, in lower case. */
  readonly addresses: Map<string, readonly string[]>;
  /** Names, and names with a type such as `app AAAA`, whose queries are not answered. */
  readonly silentNames: Set<string>;
  /** Names of all queries. */
  readonly queriedNames: string[];
  /** Whether it responds, does not respond, or responds with an error. */
  mode: 'well' | 'silent' | 'failing';
};

const maxUdpBytes = 1_232;

function getResponseCode({ mode }: TestNameServer, isKnown: boolean): number {
  if (mode === 'failing') return 2;
  return isKnown ? 0 : 3;
}

/** `limitBytes` is the maximum size of the response. */
function buildResponse(server: TestNameServer, query: Buffer, limitBytes: number): Buffer | undefined {
  const { id, questions = [] } = dnsPacket.decode(query);
  const [question] = questions;
  if (!question || server.mode === 'silent') return undefined;
  const name = question.name.toLowerCase();
  server.queriedNames.push(name);
  if (server.silentNames.has(name) || server.silentNames.has(`${name} ${question.type}`)) return undefined;
  const records = question.type === 'TXT' ? server.records.get(name) : undefined;
  const answers =
    server.mode === 'failing'
      ? []
      : (records ?? []).map(
          (parts): dnsPacket.Answer => ({ type: 'TXT', name: question.name, ttl: 1, data: [...parts] }),
        );
  if (server.mode === 'well')
    for (const address of server.addresses.get(name) ?? []) {
      const type = isIP(address) === 6 ? 'AAAA' : 'A';
      if (question.type === type) answers.push({ type, name: question.name, ttl: 1, data: address });
    }
  const packetBase = { type: 'response', id: id ?? 0, questions } as const;
  const base =
    dnsPacket.RECURSION_DESIRED |
    dnsPacket.RECURSION_AVAILABLE |
    getResponseCode(server, server.records.has(name) || server.addresses.has(name));
  const packet = dnsPacket.encode({ ...packetBase, flags: base, answers });
  if (packet.length <= limitBytes) return packet;
  return dnsPacket.encode({ ...packetBase, flags: base | dnsPacket.TRUNCATED_RESPONSE, answers: [] });
}

/** Listens on a free port of UDP and TCP until the end of the test. */
export async function startNameServer(t: Test): Promise<TestNameServer> {
  const tcp = createServer((socket) => {
    let read = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      if (read.length < 2 || read.length < 2 + read.readUInt16BE(0)) return;
      const response = buildResponse(server, read.subarray(2), 65_535);
      if (!response) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      socket.end(Buffer.concat([length, response]));
    });
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', (message: Buffer, { port: from, address }: RemoteInfo) => {
    const response = buildResponse(server, message, maxUdpBytes);
    if (response) udp.send(response, from, address);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  t.teardown(() => {
    udp.close();
    tcp.close();
  });
  const server: TestNameServer = {
    address: `127.0.0.1:${port}`,
    records: new Map(),
    addresses: new Map(),
    silentNames: new Set(),
    queriedNames: [],
    mode: 'well',
  };
  return server;
}
