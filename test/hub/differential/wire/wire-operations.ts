/** What a client does in a sequence, chosen by fast-check, and what it sees of it. */
import fc from 'fast-check';
import { eventually } from '../../../eventually.ts';
import { parseExact, payloadPlaceholder } from './exact-text.ts';
import { type AskKind, type CallEnd, type JsonObject, logLevels, type Step } from './script.ts';
import type { Trace, WireClient } from './wire-client.ts';

export type Operation =
  | { readonly kind: 'list'; readonly list: string }
  | { readonly kind: 'play'; readonly play: Play; readonly losesConnection: boolean }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'prompt'; readonly args: JsonObject | undefined }
  | { readonly kind: 'read'; readonly uri: string }
  | {
      readonly kind: 'complete';
      readonly ref: 'prompt' | 'resource';
      readonly value: string;
      readonly context: JsonObject | undefined;
    }
  | { readonly kind: 'ping' }
  | { readonly kind: 'level'; readonly level: string }
  | { readonly kind: 'change'; readonly list: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'watch' }
  | { readonly kind: 'roots' }
  | { readonly kind: 'batch'; readonly operations: readonly Operation[] };

type Play = {
  readonly steps: readonly Step[];
  readonly end: CallEnd;
  /** Undefined in a batch. */
  readonly payload: string | undefined;
  readonly token: string | number | undefined;
  readonly meta: JsonObject;
  /** True if `_meta` has the payload too. */
  readonly hasExactMeta?: boolean;
};

/** What the pair of client and server has. */
export type Features = {
  /** Calls at the same time, of which messages belong to one each. */
  readonly concurrent: boolean;
  readonly asks: boolean;
  /** A stream that belongs to no request, and cancellation. */
  readonly session: boolean;
  readonly watches: boolean;
  /** Its client names other roots during the session. */
  readonly changesRoots: boolean;
  readonly batches: boolean;
  readonly isNewest: boolean;
};

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', ' ', '"', '\u2028', '\ud83d\ude00', '=?base64?', '__proto__'),
);
const numberTexts = fc.oneof(
  fc.constantFrom('9007199254740993', '1.0', '1e400', '-0', '0.1', '1E5', '12345678901234567890.5', '-1.50e-7'),
  fc.integer().map(String),
);
/** Values as JSON, with numbers that no double holds. */
export const payloads: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.oneof(
      numberTexts,
      texts.map((text) => JSON.stringify(text)),
      fc.constantFrom('null', 'true', '[]', '{}'),
    ),
    fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`),
    fc
      .dictionary(fc.oneof(texts, fc.constantFrom('2', '1', 'constructor')), tie('value'), { maxKeys: 3 })
      .map((members) => `{${Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`),
  ),
})).value;
const jsonValues = fc.jsonValue({ maxDepth: 2 });
const metas = fc.oneof(
  fc.constant({}),
  fc.record({
    'example.com/vendor': jsonValues,
    traceparent: fc.constant(`00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`),
  }),
  fc.dictionary(fc.constantFrom('a', 'example.com/b', 'com.example.c/d'), jsonValues, { maxKeys: 2 }),
);
const ends: fc.Arbitrary<CallEnd> = fc.oneof(
  fc.constantFrom(
    'text' as const,
    'toolError' as const,
    'contents' as const,
    'structured' as const,
    'refused' as const,
  ),
  fc.record({
    code: fc.constantFrom(-32602, -32603, -32000, 7),
    message: texts,
    data: fc.oneof(fc.constant(undefined), jsonValues),
  }),
);
const lists = fc.constantFrom('tools', 'prompts', 'resources', 'resources/templates');
const changedLists = fc.constantFrom('tools' as const, 'prompts' as const, 'resources' as const);

function createSteps({ asks }: Features): fc.Arbitrary<readonly Step[]> {
  const report = fc.record(
    { progress: fc.constantFrom(0, 1, 0.5, 100), total: fc.constantFrom(100, 1.5), message: texts },
    { requiredKeys: ['progress'] },
  );
  const log = fc.record(
    { do: fc.constant('log' as const), level: fc.constantFrom(...logLevels), data: jsonValues, logger: texts },
    { requiredKeys: ['do', 'level', 'data'] },
  );
  const kinds: fc.Arbitrary<AskKind> = fc.constantFrom('form', 'url', 'sample', 'roots');
  return fc.array(
    fc.oneof(
      report.map((sent): Step => ({ do: 'progress', report: sent })),
      log,
      fc.constant<Step>({ do: 'break' }),
      fc.constant<Step>({ do: 'echo' }),
      ...(asks ? [kinds.map((kind): Step => ({ do: 'ask', kind }))] : []),
    ),
    { maxLength: 5 },
  );
}

function createPlays(features: Features): fc.Arbitrary<Operation> {
  const tokens = fc.oneof(fc.constant(undefined), fc.constantFrom(0, 7, -1, '', 'token', '7'));
  const play = fc.record({
    steps: createSteps(features),
    end: ends,
    payload: payloads,
    token: tokens,
    meta: metas,
    hasExactMeta: fc.boolean(),
  });
  const losesConnection = features.session && !features.isNewest ? fc.boolean() : fc.constant(false);
  return fc.record({ kind: fc.constant('play' as const), play, losesConnection }).map((operation) => ({
    ...operation,
    // Documented: a call that waits for its caller ends with the connection.
    losesConnection: operation.losesConnection && !operation.play.steps.some((step) => step.do === 'ask'),
  }));
}

export function createOperations(features: Features): fc.Arbitrary<Operation> {
  const plays = createPlays(features);
  const requests: fc.Arbitrary<Operation> = fc.oneof(
    fc.record({ kind: fc.constant('list' as const), list: lists }),
    fc.record({
      kind: fc.constant('prompt' as const),
      args: fc.oneof(fc.constant(undefined), fc.dictionary(texts, texts, { maxKeys: 2 })),
    }),
    fc.record({
      kind: fc.constant('read' as const),
      uri: fc.constantFrom('note://one', 'note://two', 'alpha://x', 'alpha://missing'),
    }),
    fc.record({
      kind: fc.constant('complete' as const),
      ref: fc.constantFrom('prompt' as const, 'resource' as const),
      value: texts,
      context: fc.option(fc.dictionary(texts, texts, { maxKeys: 2 }), { nil: undefined }),
    }),
    ...(features.isNewest ? [] : [fc.constant<Operation>({ kind: 'ping' })]),
  );
  const batch = fc
    .array(fc.oneof(requests, plays.map(withoutStream)), { minLength: 1, maxLength: 4 })
    .map((operations): Operation => ({ kind: 'batch', operations }));
  return fc.oneof(
    { weight: 3, arbitrary: plays },
    { weight: 3, arbitrary: requests },
    ...(features.session ? [{ weight: 1, arbitrary: fc.constant<Operation>({ kind: 'cancel' }) }] : []),
    ...(features.session
      ? [{ weight: 1, arbitrary: fc.constantFrom(...logLevels).map((level): Operation => ({ kind: 'level', level })) }]
      : []),
    ...(features.watches
      ? [
          { weight: 1, arbitrary: fc.constant<Operation>({ kind: 'watch' }) },
          { weight: 1, arbitrary: changedLists.map((list): Operation => ({ kind: 'change', list })) },
        ]
      : []),
    ...(features.changesRoots ? [{ weight: 1, arbitrary: fc.constant<Operation>({ kind: 'roots' }) }] : []),
    ...(features.batches ? [{ weight: 2, arbitrary: batch }] : []),
  );
}

/** The messages of a batch share a stream, in which a message of the log says nothing about its call. */
function withoutStream(operation: Operation): Operation {
  if (operation.kind !== 'play') return operation;
  const steps = operation.play.steps.filter((step) => step.do === 'progress');
  return {
    kind: 'play',
    losesConnection: false,
    play: { ...operation.play, steps: steps.slice(0, 1), payload: undefined, hasExactMeta: false },
  };
}

/** How the client names what the server has. */
export type Side = {
  readonly client: WireClient;
  readonly toName: (name: string) => string;
  readonly toUri: (uri: string) => string;
  /** Of the log, of all calls. */
  level: string;
};

export const watchedUri = 'note://one';
const levelKey = 'io.modelcontextprotocol/logLevel';
let cancelCount = 0;

function toRequest(side: Side, operation: Operation): readonly [method: string, params: JsonObject] | undefined {
  const { client, toName, toUri } = side;
  if (operation.kind === 'ping') return ['ping', {}];
  if (operation.kind === 'prompt') {
    const args = operation.args === undefined ? {} : { arguments: operation.args };
    return ['prompts/get', { name: toName('beta'), ...args }];
  }
  if (operation.kind === 'read') return ['resources/read', { uri: toUri(operation.uri) }];
  if (operation.kind === 'complete') {
    const ref =
      operation.ref === 'prompt'
        ? { type: 'ref/prompt', name: toName('alpha') }
        : { type: 'ref/resource', uri: toUri('alpha://{id}') };
    const hasContext = operation.context && client.kind.revision !== '2025-03-26';
    const context = hasContext ? { context: { arguments: operation.context } } : {};
    const name = operation.ref === 'prompt' ? 'whom' : 'id';
    return ['completion/complete', { ref, argument: { name, value: operation.value }, ...context }];
  }
  if (operation.kind === 'play') return ['tools/call', createPlayParams(side, operation.play)];
  return undefined;
}

function createPlayParams({ client, toName, level }: Side, play: Play): JsonObject {
  const { steps, end, payload, token, meta, hasExactMeta } = play;
  const allMeta = {
    ...meta,
    ...(hasExactMeta && payload !== undefined ? { 'example.com/exact': parseExact(payload) } : {}),
    ...(token === undefined ? {} : { progressToken: token }),
    ...(client.isNewest ? { [levelKey]: level } : {}),
  };
  return {
    name: toName('alpha'),
    arguments: { steps, ...(payload === undefined ? {} : { payload: payloadPlaceholder }), end },
    ...(Object.keys(allMeta).length > 0 ? { _meta: allMeta } : {}),
  };
}

/** All messages that the operation led to. */
export async function perform(side: Side, operation: Operation): Promise<unknown> {
  const { client } = side;
  if (operation.kind === 'list') return listAll(client, operation.list);
  if (operation.kind === 'cancel') return cancel(side);
  if (operation.kind === 'roots') return changeRoots(side);
  if (operation.kind === 'change' || operation.kind === 'watch') return observeChange(side, operation);
  if (operation.kind === 'level') {
    side.level = operation.level;
    return client.isNewest ? [] : (await client.request('logging/setLevel', { level: operation.level })).map(withoutId);
  }
  if (operation.kind === 'batch') return performBatch(side, operation.operations);
  const [method, params] = toRequest(side, operation) ?? ['ping', {}];
  const isPlay = operation.kind === 'play';
  const options = isPlay ? { payload: operation.play.payload, losesConnection: operation.losesConnection } : {};
  return (await client.request(method, params, options)).map(withoutId);
}

async function performBatch(side: Side, operations: readonly Operation[]): Promise<unknown> {
  const requests = operations.flatMap((operation) => {
    if (operation.kind === 'list') return [[`${operation.list}/list`, {}] as const];
    const request = toRequest(side, operation);
    return request ? [request] : [];
  });
  const outcomes = await side.client.batch(requests);
  // Lists are compared elsewhere: a hub's first page has entries of others.
  const comparable = outcomes.map((trace, index) => (operations[index]?.kind === 'list' ? trace.length : trace));
  // Calls of a batch run at the same time: the order of their notifications means nothing.
  const getKey = ({ params }: JsonObject): string =>
    JSON.stringify([Object(params).progressToken, Object(params).progress]);
  const notifications = [...(outcomes.at(-1) ?? [])].sort((first, second) => (getKey(first) < getKey(second) ? -1 : 1));
  return [...comparable.slice(0, -1), notifications];
}

function withoutId({ id: _id, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** The items of all pages, by their names. */
async function listAll(client: WireClient, list: string): Promise<unknown> {
  const items: JsonObject[] = [];
  let cursor: unknown;
  do {
    const trace: Trace = await client.request(`${list}/list`, cursor === undefined ? {} : { cursor });
    const { result } = Object(trace.at(-1));
    const [page = []] = Object.values(Object(result)).filter(Array.isArray);
    items.push(...page);
    cursor = Object(result).nextCursor;
  } while (cursor !== undefined);
  return { items };
}

/** Cancels a call once its progress has arrived, and asks whether the server was told. */
async function cancel(side: Side): Promise<unknown> {
  const { client } = side;
  cancelCount += 1;
  const key = `cancelled-${cancelCount}`;
  const steps: Step[] = [
    { do: 'progress', report: { progress: 1 } },
    { do: 'hang', key },
  ];
  const shared = { payload: '0', token: 1, meta: {} };
  const params = createPlayParams(side, { ...shared, steps, end: 'text' });
  const trace = await client.request('tools/call', params, { cancels: true, payload: '0' });
  const question = createPlayParams(side, { ...shared, token: undefined, steps: [], end: { cancelled: key } });
  const isKnown = await eventually(
    async () =>
      JSON.stringify(await client.request('tools/call', question, { payload: '0' })).includes('"text":"true"'),
    { description: 'the server is told of the cancellation' },
  ).catch(() => false);
  return { trace: trace.map(withoutId), isKnown };
}

/** Has other roots, and waits until the server has asked for them. */
async function changeRoots(side: Side): Promise<unknown> {
  const { client } = side;
  const shared = { payload: '0', token: undefined, meta: {}, steps: [] };
  const look = async (): Promise<Trace> =>
    client.request('tools/call', createPlayParams(side, { ...shared, end: 'roots' }), { payload: '0' });
  // Nobody has a session at the server before a first call.
  await look();
  const start = client.apart.length;
  await client.changeRoots();
  const question = await eventually(() => client.apart.slice(start).find(({ ask }) => ask !== undefined), {
    description: 'the server asks for the roots',
  }).catch(() => 'the server has not asked');
  const roots = await eventually(
    async () => {
      const trace = await look();
      return JSON.stringify(trace).includes(client.root) && trace.map(withoutId);
    },
    { description: 'the server has the new roots' },
  ).catch(() => 'the server has other roots');
  return { question, roots };
}

/** Lets the server change something, and waits for the notification. */
async function observeChange(side: Side, operation: Operation): Promise<unknown> {
  const { client, toUri } = side;
  const uri = toUri(watchedUri);
  const isWatch = operation.kind === 'watch';
  const subscribes = isWatch && !client.isNewest;
  if (subscribes) await client.request('resources/subscribe', { uri });
  const start = client.apart.length;
  const step: Step =
    operation.kind === 'change' ? { do: 'change', list: operation.list } : { do: 'update', uri: watchedUri };
  const params = createPlayParams(side, { steps: [step], end: 'text', payload: '0', token: undefined, meta: {} });
  const trace = await client.request('tools/call', params, { payload: '0' });
  const method = step.do === 'change' ? `notifications/${step.list}/list_changed` : 'notifications/resources/updated';
  const arrived = await eventually(() => client.apart.slice(start).find((message) => message.method === method), {
    description: `${method} arrives`,
  }).catch(() => ({ missing: method }));
  if (subscribes) await client.request('resources/unsubscribe', { uri });
  return { trace: trace.map(withoutId), arrived };
}
