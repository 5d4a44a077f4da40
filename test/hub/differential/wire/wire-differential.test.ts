/**
 * Random sequences of messages to a server and to the same server behind a hub, read byte by byte: the client sees the same in
 * every pair of revisions and transports, apart from the differences that `toComparable` names. `VP_SEED` chooses the sequences,
 * `VP_RUNS` how many of them are tried for each pair, `VP_PAIRS` is a part of the titles of those that are played.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { UpstreamConnection } from '../../../../src/hub/connections/connection.ts';
import type { OperatorCommands } from '../../../../src/hub/upstream/commands/operator-commands.ts';
import { getSourceVariables } from '../../../source-program.ts';
import { createConnection, startTestGateway } from '../../fixtures/test-gateway.ts';
import { runnerOptions } from '../../upstream/commands/pipe-gateway.ts';
import { newest, type Revision, revisions } from './script.ts';
import { type HttpKind, startScriptedServer } from './scripted-http.ts';
import { type ClientKind, WireClient } from './wire-client.ts';
import { describeDifference, endWithin, toComparable } from './wire-comparison.ts';
import { createOperations, type Features, type Operation, perform, type Side, watchedUri } from './wire-operations.ts';

const seed = Number(process.env.VP_SEED ?? 20_260_728);
const numRuns = Number(process.env.VP_RUNS ?? 1);
const pairs = process.env.VP_PAIRS ?? '';
const timeout = 120_000 + 20_000 * numRuns;

type UpstreamKind = { readonly name: string; readonly revision: Revision; readonly transport: HttpKind | 'stdio' };

const upstreamKinds: readonly UpstreamKind[] = revisions.flatMap((revision) => {
  const transports: readonly UpstreamKind['transport'][] =
    revision === newest ? ['stateless', 'stdio'] : ['sessions', 'stateless', 'sse', 'stdio'];
  return transports.map((transport) => ({ name: `${transport}-${revision}`, revision, transport }));
});

const clientKinds = revisions.flatMap((revision) =>
  revision === newest
    ? [{ revision, hasSession: false }]
    : [
        { revision, hasSession: true },
        { revision, hasSession: false },
      ],
);

async function startConnection(t: Test, { name, revision, transport }: UpstreamKind): Promise<UpstreamConnection> {
  if (transport === 'stdio') return createConnection(name, '', { kind: 'stdio', url: undefined, command: revision });
  const { url } = await startScriptedServer(t, revision, transport);
  return createConnection(name, url, transport === 'sse' ? { kind: 'sse' } : {});
}

function createCommands(): OperatorCommands {
  const program = join(import.meta.dirname, 'scripted-program.ts');
  return new Map(
    revisions.map((revision) => [
      revision,
      { command: [process.execPath, program, revision], variables: getSourceVariables() },
    ]),
  );
}

/** What a sequence may have, where `answersQuestions` is chosen for it. */
function createFeatures(
  { revision, hasSession }: ClientKind,
  { transport, revision: ofServer }: UpstreamKind,
  answersQuestions: boolean,
): Features {
  const isNewest = revision === newest;
  const isStateless = transport === 'stateless' && ofServer !== newest;
  const session = (isNewest || hasSession) && !isStateless;
  return {
    isNewest,
    session,
    asks: answersQuestions,
    // Programs that can ask are one for each person, and know nothing of the changes of others.
    watches: session && !(transport === 'stdio' && answersQuestions),
    // Only in a session is there a stream on which the server can ask.
    changesRoots: hasSession && session && answersQuestions && ofServer !== newest,
    batches: revision === '2025-03-26',
    concurrent: transport === 'sessions' || (transport === 'stateless' && ofServer === newest),
  };
}

/** What a question or message of the log belongs to could not be said of others at the same time. */
const soloKinds: ReadonlySet<Operation['kind']> = new Set(['level', 'roots']);

type Sequence = readonly (readonly Operation[])[];

function createSequences(features: Features): fc.Arbitrary<Sequence> {
  const maxLength = features.concurrent ? 3 : 1;
  // Where the level of the log changes meanwhile, nobody can say what a call logs.
  const steps = fc
    .array(createOperations(features), { minLength: 1, maxLength })
    .map((operations) => (operations.some(({ kind }) => soloKinds.has(kind)) ? operations.slice(0, 1) : operations));
  return fc.array(steps, { minLength: 1, maxLength: 5 });
}

async function observe(url: string, kind: ClientKind, connection: string | undefined, sequence: Sequence) {
  const isHub = connection !== undefined;
  const client = new WireClient(url, kind);
  const side: Side = {
    client,
    toName: (name) => (isHub ? `${connection}__${name}` : name),
    toUri: (uri) => (isHub ? `hub.${connection}+${uri}` : uri),
    level: 'info',
  };
  try {
    await client.start(side.toUri(watchedUri));
    if (!client.isNewest && kind.hasSession) await perform(side, { kind: 'level', level: 'info' });
    const observations: string[] = [];
    for (const step of sequence) {
      const seen = await Promise.all(step.map((operation) => endWithin(perform(side, operation))));
      observations.push(toComparable(seen, connection));
    }
    return observations;
  } finally {
    await client.close();
  }
}

/** Servers say in the way of their own era that a resource does not exist. */
const olderNotFound = '"code":-32002';
const newestNotFound = '"code":-32602';

type BothSides = { readonly hubUrl: string; readonly directUrls: ReadonlyMap<string, string> };

async function startBothSides(t: Test): Promise<BothSides> {
  const connections = await Promise.all(upstreamKinds.map((kind) => startConnection(t, kind)));
  const gateway = await startTestGateway(t, connections, {
    commands: createCommands(),
    runnerOptions,
  });
  const directUrls = new Map<string, string>();
  for (const { revision, hasSession } of clientKinds) {
    const { url } = await startScriptedServer(t, revision, hasSession ? 'sessions' : 'stateless');
    directUrls.set(`${revision} ${hasSession}`, url);
  }
  return { hubUrl: gateway.server.url, directUrls };
}

/** Resolves with what differs first, if anything does. */
async function findDifference(
  { hubUrl, directUrls }: BothSides,
  client: Omit<ClientKind, 'answersQuestions'>,
  upstream: UpstreamKind,
  index: number,
): Promise<string | undefined> {
  const directUrl = directUrls.get(`${client.revision} ${client.hasSession}`) ?? '';
  const canAnswer =
    (client.hasSession || client.revision === newest) &&
    (upstream.transport !== 'stateless' || upstream.revision === newest);
  const sequences = (canAnswer ? fc.boolean() : fc.constant(false)).chain((answersQuestions) => {
    const kind = { ...client, answersQuestions };
    return fc.record({
      kind: fc.constant(kind),
      sequence: createSequences(createFeatures(kind, upstream, answersQuestions)),
    });
  });
  const details = await fc.check(
    fc.asyncProperty(sequences, async ({ kind, sequence }) => {
      const [expected, actual] = await Promise.all([
        observe(directUrl, kind, undefined, sequence),
        observe(hubUrl, kind, upstream.name, sequence),
      ]);
      const isSameEra = (client.revision === newest) === (upstream.revision === newest);
      const toEra = (seen: string | undefined): string | undefined =>
        isSameEra ? seen : seen?.replaceAll(olderNotFound, newestNotFound);
      const step = expected.findIndex((seen, index) => toEra(seen) !== toEra(actual[index]));
      if (step >= 0) throw new Error(describeDifference(sequence[step], expected[step] ?? '', actual[step] ?? ''));
    }),
    { seed: seed + index, numRuns, endOnFailure: true },
  );
  return details.failed ? String(Object(details.errorInstance).message) : undefined;
}

t.test(
  'a client sees through a hub what it sees of the server',
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
