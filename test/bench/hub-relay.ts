/**
 * The same call direct, through a pipe of bytes and through a hub, for every pair of client and server, by a client that is not
 * ours. The unit of the overhead is what the pipe adds in the same run.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchContext } from './bench-context.ts';
import { clientAt, hubWith, ownerAt } from './hub.ts';
import { coldCalls, measureColdStarts } from './hub-cold-start.ts';
import { closePlainConnections, openPlainClient, type PlainCall, type Revision } from './hub-plain-client.ts';
import { many } from './hub-raw-call.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { type Service, serve } from './processes.ts';
import type { Row } from './row.ts';

type RelayCase = {
  readonly name: string;
  readonly client: Revision;
  readonly upstream: 'sessions' | 'newest';
  readonly call?: Omit<PlainCall, 'tool'>;
  readonly maxPipes: number;
  readonly minThroughput: number;
};

const cases: readonly RelayCase[] = [
  { name: 'session of 2025-06-18', client: '2025-06-18', upstream: 'sessions', maxPipes: 3, minThroughput: 0.5 },
  { name: 'session of 2025-11-25', client: '2025-11-25', upstream: 'sessions', maxPipes: 3, minThroughput: 0.5 },
  {
    name: 'session of 2025-11-25 with progress',
    client: '2025-11-25',
    upstream: 'sessions',
    call: { progress: true },
    maxPipes: 4,
    minThroughput: 0.45,
  },
  {
    name: 'client of 2025-11-25, newest server',
    client: '2025-11-25',
    upstream: 'newest',
    maxPipes: 3.5,
    minThroughput: 0.5,
  },
  {
    name: 'newest client, server of 2025-11-25',
    client: '2026-07-28',
    upstream: 'sessions',
    maxPipes: 3.5,
    minThroughput: 0.5,
  },
  { name: '2026-07-28', client: '2026-07-28', upstream: 'newest', maxPipes: 2.5, minThroughput: 0.6 },
  {
    name: '2026-07-28 with progress',
    client: '2026-07-28',
    upstream: 'newest',
    call: { progress: true },
    maxPipes: 2.5,
    minThroughput: 0.6,
  },
  {
    name: '2026-07-28 with vendor _meta',
    client: '2026-07-28',
    upstream: 'newest',
    call: { vendorMeta: true },
    maxPipes: 2.5,
    minThroughput: 0.6,
  },
];

/** The same by the official client, which reads, validates and keeps more. */
const officialCases = [
  {
    name: 'official client, session of 2025-11-25',
    mode: 'legacy',
    upstream: 'sessions',
    maxPipes: 3,
    minThroughput: 0.5,
  },
  { name: 'official client, 2026-07-28', mode: 'auto', upstream: 'newest', maxPipes: 2.5, minThroughput: 0.6 },
] as const;

/** What is compared: one call each, in the same words. */
type Compared = {
  readonly direct: () => Promise<void>;
  readonly pipe: () => Promise<void>;
  readonly hub: () => Promise<void>;
};
type Limits = Pick<RelayCase, 'name' | 'maxPipes' | 'minThroughput'>;

async function measureRate(call: () => Promise<void>, calls: number): Promise<number> {
  const work = async (): Promise<void> => {
    for (let turn = 0; turn < calls / many; turn += 1) await call();
  };
  const ms = await timed(() => Promise.all(Array.from({ length: many }, work)));
  return (calls * 1000) / ms;
}

async function compare(
  context: BenchContext,
  { name, maxPipes, minThroughput }: Limits,
  { direct, pipe, hub }: Compared,
): Promise<Row[]> {
  const alone = [direct, pipe, hub].map((call) => series(() => timed(call)));
  const rates = [direct, hub].map((call) => series(() => measureRate(call, context.quick ? 320 : 1600)));
  await inTurns(context.quick ? 300 : 2000, alone, context.quick ? 300 : 1500);
  await inTurns(context.quick ? 3 : 7, rates, context.quick ? 3 : 3);
  const [straight = 0, piped = 0, through = 0] = alone.map(({ samples }) => median(samples));
  const [directRate = 0, hubRate = 0] = rates.map(({ samples }) => median(samples));
  const pipes = (through - straight) / (piped - straight);
  return [
    {
      measured: `${name}: added by the hub, p50`,
      value: through - straight,
      unit: 'ms',
      floor: { what: `added by a pipe of bytes; direct ${straight.toFixed(2)} ms`, value: piped - straight },
      limit: { text: `≤ ${maxPipes} pipes`, isMet: pipes <= maxPipes },
    },
    {
      measured: `${name}: ${many} at a time`,
      value: hubRate,
      unit: 'calls/s',
      floor: { what: 'the server directly', value: directRate },
      limit: { text: `≥ ${minThroughput}×`, isMet: hubRate / directRate >= minThroughput },
    },
  ];
}

const upstreamArgs = ['--import', resolve('test/tsx-hook.mjs'), resolve('test/bench/hub-upstream.ts')];

export async function relay(context: BenchContext): Promise<Row[]> {
  const started: Service[] = [];
  const upstream = async (...args: string[]): Promise<string> => {
    const program = context.node(...upstreamArgs, ...args);
    const service = await serve({ ...program, cwd: process.cwd() }, context.fresh('upstream-log'));
    started.push(service);
    return service.startInfo.url;
  };
  const stdioClient = openStdioClient();
  try {
    const urls = { sessions: await upstream('--sessions'), newest: await upstream() };
    const pipes = {
      sessions: await upstream('--pipe', urls.sessions),
      newest: await upstream('--pipe', urls.newest),
    };
    const commandsFile = context.fresh('commands.json');
    const command = [process.execPath, ...upstreamArgs, '--stdio'];
    writeFileSync(commandsFile, JSON.stringify({ commands: { echo: { command } } }));
    const flags = ['--allow-private-upstreams', '--hub-commands', commandsFile, '--unsafe-stdio'];
    const program = context.vp('serve', '--json', '--port', '0', '--data', context.fresh('hub'), ...flags);
    const plane = await serve(program, context.fresh('hub-log'));
    started.push(plane);
    const owner = await ownerAt(plane);
    const token = await hubWith(owner, 'bench', [urls.sessions, urls.newest]);
    const input = { name: 'c2', kind: 'stdio', command: 'echo' };
    await owner.ask('POST', '/api/v1/hubs/bench/connections', input);
    const hubTarget = { url: `${plane.startInfo.url}/agent/mcp`, token };
    const rows: Row[] = [];
    const cold = await measureColdStarts(context, urls.sessions);
    let firstOfConnectionMs: number | undefined;
    for (const relayCase of cases) {
      const { client, call = {} } = relayCase;
      const kind = relayCase.upstream;
      const directRevision: Revision =
        kind === 'newest' ? '2026-07-28' : client === '2026-07-28' ? '2025-11-25' : client;
      const hubTool = kind === 'sessions' ? 'c0__echo' : 'c1__echo';
      const direct = await openPlainClient({ url: urls[kind] }, directRevision, { tool: 'echo', ...call });
      const hub = await openPlainClient(hubTarget, client, { tool: hubTool, ...call });
      if (kind === 'newest') firstOfConnectionMs ??= await timed(hub);
      const pipe = await openPlainClient({ url: pipes[kind] }, directRevision, { tool: 'echo', ...call });
      rows.push(...(await compare(context, relayCase, { direct, pipe, hub })));
    }
    for (const officialCase of officialCases) {
      const { mode, upstream: kind } = officialCase;
      const open = async (url: string, name: string, ofToken?: string): Promise<() => Promise<void>> => {
        const client = await clientAt(url, ofToken, mode);
        await client.listTools();
        return async () => void (await client.callTool({ name, arguments: { text: 'hello' } }));
      };
      const hub = await open(hubTarget.url, kind === 'sessions' ? 'c0__echo' : 'c1__echo', token);
      const direct = await open(urls[kind], 'echo');
      rows.push(...(await compare(context, officialCase, { direct, pipe: await open(pipes[kind], 'echo'), hub })));
    }
    const warmCall = await openPlainClient(hubTarget, '2025-06-18', { tool: 'c0__echo' });
    const warm = series(() => timed(warmCall));
    await inTurns(coldCalls, [warm]);
    const warmMs = median(warm.samples);
    const measured = `first ${coldCalls} calls after the start, p50`;
    const { firstMs, medianMs } = cold;
    const limit = { text: '≤ 3× warm', isMet: medianMs <= 3 * warmMs };
    const floor = { what: 'warm', value: warmMs };
    rows.push(
      { measured, value: medianMs, unit: 'ms', floor, limit },
      { measured: 'the first call after the start', value: firstMs, unit: 'ms', floor },
      { measured: 'the first call to a connection', value: firstOfConnectionMs ?? 0, unit: 'ms', floor },
    );
    const hub = await openPlainClient(hubTarget, '2025-11-25', { tool: 'c2__echo' });
    const pipe = await openPlainClient({ url: pipes.sessions }, '2025-11-25', { tool: 'echo' });
    const bridge = context.node(resolve('test/bench/stdio-bridge.ts'), ...command);
    const bridgeService = await serve({ ...bridge, cwd: process.cwd() }, context.fresh('bridge-log'));
    started.push(bridgeService);
    const bridged = await openPlainClient({ url: bridgeService.startInfo.url }, '2025-11-25', { tool: 'echo' });
    rows.push(...(await compareStdio(context, stdioClient.call, { hub, pipe, bridged }, urls.sessions)));
    return rows;
  } finally {
    stdioClient.stop();
    closePlainConnections();
    await Promise.all(started.map((service) => service.stop()));
  }
}

/** A hub adds an HTTP hop to a program on a pipe: so the unit is the HTTP pipe's overhead. */
async function compareStdio(
  context: BenchContext,
  bare: () => Promise<void>,
  { hub, pipe, bridged }: Readonly<Record<'hub' | 'pipe' | 'bridged', () => Promise<void>>>,
  url: string,
): Promise<Row[]> {
  const http = await openPlainClient({ url }, '2025-11-25', { tool: 'echo' });
  const hops = [http, pipe].map((call) => series(() => timed(call)));
  await inTurns(context.quick ? 300 : 2000, hops, 300);
  const [straight = 0, piped = 0] = hops.map(({ samples }) => median(samples));
  const hopMs = piped - straight;
  const alone = [bare, hub, bridged].map((call) => series(() => timed(call)));
  const rates = [bare, hub, bridged].map((call) => series(() => measureRate(call, context.quick ? 320 : 1600)));
  await inTurns(context.quick ? 300 : 2000, alone, 1000);
  await inTurns(context.quick ? 3 : 7, rates, 3);
  const [bareMs = 0, hubMs = 0, bridgedMs = 0] = alone.map(({ samples }) => median(samples));
  const [bareRate = 0, hubRate = 0, bridgedRate = 0] = rates.map(({ samples }) => median(samples));
  return [
    {
      measured: 'program on standard streams: added by bare node:http, p50',
      value: bridgedMs - bareMs,
      unit: 'ms',
      floor: { what: 'added by a pipe of bytes', value: hopMs },
    },
    {
      measured: `program on standard streams: ${many} at a time through bare node:http`,
      value: bridgedRate,
      unit: 'calls/s',
      floor: { what: 'the program over a bare pipe', value: bareRate },
    },
    {
      measured: 'program on standard streams: added by the hub, p50',
      value: hubMs - bareMs,
      unit: 'ms',
      floor: { what: `added by a pipe of bytes; bare ${bareMs.toFixed(2)} ms`, value: hopMs },
      limit: { text: '≤ 4 pipes', isMet: hubMs - bareMs <= 4 * hopMs },
    },
    {
      measured: `program on standard streams: ${many} at a time`,
      value: hubRate,
      unit: 'calls/s',
      floor: { what: 'the program over a bare pipe', value: bareRate },
      limit: { text: '≥ 0.4×', isMet: hubRate / bareRate >= 0.4 },
    },
  ];
}

/** The same program over a bare pipe of its standard streams. */
function openStdioClient() {
  const child = spawn(process.execPath, [...upstreamArgs, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, () => void>();
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id } = JSON.parse(line);
    waiting.get(id)?.();
    waiting.delete(id);
  });
  const clientInfo = { name: 'bench', version: '1' };
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  let id = 0;
  return {
    async call(): Promise<void> {
      id += 1;
      const answered = new Promise<void>((done) => waiting.set(id, done));
      send({ id, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hello' } } });
      await answered;
    },
    stop: () => void child.kill(),
  };
}
