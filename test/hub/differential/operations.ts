/** What a client may do with a server, and what it sees of it. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import type { Era } from '../fixtures/reference-server.ts';

export type Operation =
  | { readonly kind: 'list'; readonly list: 'tools' | 'prompts' | 'resources' | 'templates' }
  | { readonly kind: 'echo'; readonly text: string }
  | { readonly kind: 'call'; readonly name: 'fails' | 'link' | 'logs' | 'unknown' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'prompt'; readonly whom: string }
  | { readonly kind: 'read'; readonly uri: string }
  | { readonly kind: 'complete'; readonly value: string };

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', ' ', '"', '\u2028', '=?base64?'),
);

export const operations: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('list' as const),
    list: fc.constantFrom('tools' as const, 'prompts' as const, 'resources' as const, 'templates' as const),
  }),
  fc.record({ kind: fc.constant('echo' as const), text: texts }),
  fc.record({
    kind: fc.constant('call' as const),
    name: fc.constantFrom('fails' as const, 'link' as const, 'logs' as const, 'unknown' as const),
  }),
  fc.constant({ kind: 'ask' as const }),
  fc.constant({ kind: 'cancel' as const }),
  fc.record({ kind: fc.constant('prompt' as const), whom: texts }),
  fc.record({ kind: fc.constant('read' as const), uri: fc.constantFrom('note://one', 'note://two') }),
  fc.record({ kind: fc.constant('complete' as const), value: texts }),
);

/** Of a hub, names and URIs of the connection `good` have a prefix. */
export type Side = { readonly isHub: boolean; readonly client: Client; readonly log: unknown[] };

const logLevelKey = 'io.modelcontextprotocol/logLevel';

/** A client that can be asked for a form, and gets all messages of the log. */
export async function connect(url: string, era: Era, isHub: boolean): Promise<Side> {
  const negotiation: ClientOptions = era === 'newest' ? { versionNegotiation: { mode: 'auto' } } : {};
  const client = new Client({ name: 'test', version: '1' }, { ...negotiation, capabilities: { elicitation: {} } });
  const log: unknown[] = [];
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ann' } }));
  client.setNotificationHandler('notifications/message', ({ params }) => void log.push(params));
  const requestInit = { headers: { Authorization: 'Bearer ann' } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  if (era === 'older') await client.setLoggingLevel('debug');
  // Its headers repeat what the tools' schemas name.
  await client.listTools();
  return { isHub, client, log };
}

/** The result or the kind of failure, with the progress that was reported. */
export async function perform(side: Side, operation: Operation): Promise<unknown> {
  const progress: unknown[] = [];
  try {
    const result = await send(side, operation, (report) => void progress.push(report));
    return { result: toComparable(result), progress };
  } catch (error) {
    // What a server says about something unknown is its own; a hub refuses it before the server is asked.
    return { failed: operation.kind === 'cancel' ? Object(error).name : true, progress };
  }
}

async function send(
  { client, isHub }: Side,
  operation: Operation,
  onprogress: (report: unknown) => void,
): Promise<unknown> {
  const toName = (name: string): string => (isHub ? `good__${name}` : name);
  const toUri = (uri: string): string => (isHub ? `hub.good+${uri}` : uri);
  const call = (name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<unknown> => {
    const params = { name: toName(name), arguments: args, _meta: { [logLevelKey]: 'debug' } };
    // While it answers questions of the newest revision, the client reports progress of its own.
    const options = name === 'ask' ? {} : { onprogress };
    return client.callTool(params, { ...options, ...(signal ? { signal } : {}) });
  };
  if (operation.kind === 'list') return listAll(client, operation.list);
  if (operation.kind === 'echo') return call('echo', { text: operation.text });
  if (operation.kind === 'call') return call(operation.name);
  if (operation.kind === 'ask') return call('ask');
  if (operation.kind === 'cancel') {
    const controller = new AbortController();
    const slow = call('slow', { ms: 60_000 }, controller.signal);
    controller.abort();
    return slow;
  }
  if (operation.kind === 'prompt')
    return client.getPrompt({ name: toName('greet'), arguments: { whom: operation.whom } });
  if (operation.kind === 'read') return client.readResource({ uri: toUri(operation.uri) }, { cacheMode: 'bypass' });
  const ref = { type: 'ref/prompt' as const, name: toName('greet') };
  return client.complete({ ref, argument: { name: 'whom', value: operation.value } });
}

function listAll(client: Client, list: Extract<Operation, { readonly kind: 'list' }>['list']): Promise<unknown> {
  const options = { cacheMode: 'bypass' as const };
  if (list === 'tools') return client.listTools(undefined, options);
  if (list === 'prompts') return client.listPrompts(undefined, options);
  if (list === 'resources') return client.listResources(undefined, options);
  return client.listResourceTemplates(undefined, options);
}

const ownMembers: readonly string[] = ['_meta', 'ttlMs', 'cacheScope', 'resultType'];

/**
 * Without the documented differences: prefixes of the connection, the hub's own tool, the order of lists, and what a
 * revision adds to results.
 */
export function toComparable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^good__/, '').replace(/^text of hub\.good\+|^hub\.good\+/, '');
  if (Array.isArray(value)) {
    const items = value.filter((item) => Object(item).name !== 'vp_hub_status').map(toComparable);
    return items.sort((first, second) => (JSON.stringify(first) < JSON.stringify(second) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !ownMembers.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, toComparable(member)]));
}
