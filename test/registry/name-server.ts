/** A small real name server: TXT records over UDP, and over TCP where they do not fit. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import dnsPacket from 'dns-packet';
import type { Test } from 'tap';

/** Answers with what `records` says at that moment; a record is its parts, of at most 255 bytes each. */
export type NameServer = {
  /** As a resolver's address. */
  readonly address: string;
  /** By name, in lower case. A name that is not there does not exist. */
  readonly records: Map<string, readonly (readonly string[])[]>;
  /** Names that were asked for. */
  readonly asked: string[];
  /** Answers nothing, or that it cannot. */
  mood: 'well' | 'silent' | 'failing';
};

const largestUdp = 1_232;

function rcodeOf({ mood }: NameServer, known: boolean): number {
  if (mood === 'failing') return 2;
  return known ? 0 : 3;
}

/** The answer to a question; `limitBytes` is what fits. */
function answerTo(server: NameServer, query: Buffer, limitBytes: number): Buffer | undefined {
  const { id, questions = [] } = dnsPacket.decode(query);
  const [question] = questions;
  if (!question || server.mood === 'silent') return undefined;
  const name = question.name.toLowerCase();
  server.asked.push(name);
  const found = question.type === 'TXT' ? server.records.get(name) : undefined;
  const answers =
    server.mood === 'failing'
      ? []
      : (found ?? []).map(
          (parts): dnsPacket.Answer => ({ type: 'TXT', name: question.name, ttl: 1, data: [...parts] }),
        );
  const head = { type: 'response', id: id ?? 0, questions } as const;
  const base = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | rcodeOf(server, server.records.has(name));
  const whole = dnsPacket.encode({ ...head, flags: base, answers });
  if (whole.length <= limitBytes) return whole;
  return dnsPacket.encode({ ...head, flags: base | dnsPacket.TRUNCATED_RESPONSE, answers: [] });
}

/** Listens on a free port of UDP and TCP until the end of the test. */
export async function nameServer(t: Test): Promise<NameServer> {
  const tcp = createServer((socket) => {
    let read = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      if (read.length < 2 || read.length < 2 + read.readUInt16BE(0)) return;
      const answer = answerTo(server, read.subarray(2), 65_535);
      if (!answer) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.end(Buffer.concat([length, answer]));
    });
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', (message: Buffer, { port: from, address }: RemoteInfo) => {
    const answer = answerTo(server, message, largestUdp);
    if (answer) udp.send(answer, from, address);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  t.teardown(() => {
    udp.close();
    tcp.close();
  });
  const server: NameServer = { address: `127.0.0.1:${port}`, records: new Map(), asked: [], mood: 'well' };
  return server;
}
