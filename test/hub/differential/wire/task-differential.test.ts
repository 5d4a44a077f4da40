/**
 * Random sequences of tasks with a server and with the same server behind a hub, read byte by byte: tasks of 2025-11-25, those of the
 * extension of 2026-07-28, and clients that know no tasks of the server's kind, whose calls the hub runs as tasks. `VP_SEED`, `VP_RUNS`
 * and `VP_PAIRS` are as in `wire-differential.test.ts`.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { UpstreamConnection } from '../../../../src/hub/connections/connection.ts';
import { getSourceVariables } from '../../../source-program.ts';
import { createConnection, startTestGateway } from '../../fixtures/test-gateway.ts';
import { runnerOptions } from '../../upstream/commands/pipe-gateway.ts';
import { newest, type Revision, revisions } from './script.ts';
import { type HttpKind, startScriptedServer } from './scripted-http.ts';
import {
  cancelTasks,
  createTaskOperations,
  hideTaskIds,
  performTask,
  type TaskFeatures,
  type TaskOperation,
  type TaskSide,
} from './task-operations.ts';
import { type ClientKind, WireClient } from './wire-client.ts';
import { describeDifference, endWithin, toComparable } from './wire-comparison.ts';

const seed = Number(process.env.VP_SEED ?? 20_260_728);
const numRuns = Number(process.env.VP_RUNS ?? 2);
const pairs = process.env.VP_PAIRS ?? '';
const timeout = 120_000 + 20_000 * numRuns;

type UpstreamKind = { readonly name: string; readonly revision: Revision; readonly transport: HttpKind | 'stdio' };

const older: Revision = '2025-11-25';
const upstreamKinds: readonly UpstreamKind[] = [
  ...(['sessions', 'stateless', 'sse', 'stdio'] as const).map((transport) => ({ revision: older, transport })),
  ...(['stateless', 'stdio'] as const).map((transport) => ({ revision: newest, transport })),
].map(({ revision, transport }) => ({ name: `${transport}-${revision}`, revision, transport }));

const clientKinds = revisions.flatMap((revision) =>
  revision === newest
    ? [{ revision, hasSession: false }]
    : [
        { revision, hasSession: true },
        { revision, hasSession: false },
      ],
);

function createFeatures(client: Omit<ClientKind, 'answersQuestions'>, upstream: UpstreamKind): TaskFeatures {
  const isNewest = client.revision === newest;
  const hasTasks = client.revision === upstream.revision;
  const hasStream = client.hasSession && upstream.transport !== 'stateless';
  return { hasTasks, isNewest, asks: hasTasks && (isNewest || hasStream), reports: hasStream };
}

async function startConnection(t: Test, { name, revision, transport }: UpstreamKind): Promise<UpstreamConnection> {
  if (transport === 'stdio') return createConnection(name, '', { kind: 'stdio', url: undefined, command: revision });
  const { url } = await startScriptedServer(t, revision, transport, 'needed');
  return createConnection(name, url, transport === 'sse' ? { kind: 'sse' } : {});
}

type BothSides = { readonly hubUrl: string; readonly directUrls: ReadonlyMap<string, string> };

async function startBothSides(t: Test): Promise<BothSides> {
  const program = join(import.meta.dirname, 'scripted-program.ts');
  const commands = new Map(
    [older, newest].map((revision) => [
      revision,
      { command: [process.execPath, program, revision, 'needed'], variables: getSourceVariables() },
    ]),
  );
  const connections = await Promise.all(upstreamKinds.map((kind) => startConnection(t, kind)));
  const gateway = await startTestGateway(t, connections, { commands, runnerOptions });
  const directUrls = new Map<string, string>();
  for (const { revision, hasSession } of clientKinds) {
    // Who knows no tasks of a server sees what a server without them would say.
    const { url } = await startScriptedServer(t, revision, hasSession ? 'sessions' : 'stateless', 'offered');
    directUrls.set(`${revision} ${hasSession}`, url);
  }
  return { hubUrl: gateway.server.url, directUrls };
}

async function observe(
  url: string,
  kind: ClientKind,
  { features, connection }: { readonly features: TaskFeatures; readonly connection: string | undefined },
  sequence: readonly TaskOperation[],
): Promise<string[]> {
  const client = new WireClient(url, kind);
  const toName = (name: string): string => (connection === undefined ? name : `${connection}__${name}`);
  const side: TaskSide = { client, features, toName, tasks: [] };
  try {
    await client.start('note://none');
    const observations: string[] = [];
    for (const operation of sequence) {
      const seen = await endWithin(performTask(side, operation));
      observations.push(hideTaskIds(side, toComparable(seen, connection)));
    }
    await cancelTasks(side);
    return observations;
  } finally {
    await client.close();
  }
}

/** Resolves with what differs first, if anything does. */
async function findDifference(
  { hubUrl, directUrls }: BothSides,
  client: Omit<ClientKind, 'answersQuestions'>,
  upstream: UpstreamKind,
  index: number,
): Promise<string | undefined> {
  const directUrl = directUrls.get(`${client.revision} ${client.hasSession}`) ?? '';
  const features = createFeatures(client, upstream);
  const kind = { ...client, answersQuestions: features.asks, hasTasks: features.hasTasks };
  const sequences = fc.array(createTaskOperations(features), { minLength: 1, maxLength: features.hasTasks ? 8 : 2 });
  const details = await fc.check(
    fc.asyncProperty(sequences, async (sequence) => {
      const [expected, actual] = await Promise.all([
        observe(directUrl, kind, { features, connection: undefined }, sequence),
        observe(hubUrl, kind, { features, connection: upstream.name }, sequence),
      ]);
      const step = expected.findIndex((seen, position) => seen !== actual[position]);
      if (step >= 0) throw new Error(describeDifference(sequence[step], expected[step] ?? '', actual[step] ?? ''));
    }),
    { seed: seed + index, numRuns, endOnFailure: true },
  );
  return details.failed ? String(Object(details.errorInstance).message) : undefined;
}

t.test(
  'a client sees of tasks through a hub what it sees of them at the server',
  { timeout: timeout * clientKinds.length },
  async (t) => {
    const bothSides = await startBothSides(t);
    for (const [clientIndex, client] of clientKinds.entries())
      for (const [upstreamIndex, upstream] of upstreamKinds.entries()) {
        const { revision, hasSession } = client;
        const title = `${revision}${hasSession ? ' with a session' : ''}, ${upstream.revision} over ${upstream.transport}`;
        if (title.includes(pairs))
          await t.test(title, { timeout }, async (t) => {
            t.equal(await findDifference(bothSides, client, upstream, 100 * clientIndex + upstreamIndex), undefined);
          });
      }
  },
);
