/**
 * Stands between the conformance suite and a hub: the suite can send no token and knows things by their own names, so this
 * adds the one and translates the others, in the hub's published forms, and nothing else.
 */
import type { Test } from 'tap';
import { type Served, served } from '../hostile/listening.ts';

const named = new Set(['tools/call', 'prompts/get']);
const wrapped = /^=\?base64\?(.*)\?=$/;
const connectionOnly = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

/** What the adapter stands before. */
export type Adapted = { readonly url: string; readonly token: string; readonly connection: string };

/** Listens for as long as the test lasts. */
export async function adapter(t: Pick<Test, 'teardown'>, adapted: Adapted): Promise<Served> {
  const listening: Served = await served(t, (request) => answered(request, adapted, new URL(listening.url)));
  return listening;
}

async function answered(request: Request, { url, token, connection }: Adapted, own: URL): Promise<Response> {
  const headers = new Headers([...request.headers].filter(([name]) => !connectionOnly.has(name)));
  headers.set('authorization', `Bearer ${token}`);
  // Own pages are own pages on both sides; what is foreign goes on as it came.
  if (headers.get('origin') === own.origin) headers.set('origin', new URL(url).origin);
  const mirrored = headers.get('mcp-name');
  if (mirrored !== null)
    headers.set(
      'mcp-name',
      throughWrap(mirrored, (name) => outward(name, connection)),
    );
  const body = request.method === 'POST' ? translated(await request.text(), connection) : null;
  const { signal, method } = request;
  const answer = await fetch(url, { method, headers, body, signal });
  const back = new Headers([...answer.headers].filter(([name]) => !connectionOnly.has(name)));
  return new Response(answer.body && inwards(answer.body, connection), { status: answer.status, headers: back });
}

/** A name or URI as the hub knows it. */
function outward(own: string, connection: string): string {
  if (own === '') return own;
  return own.includes('://') ? `hub.${connection}+${own}` : `${connection}__${own}`;
}

function throughWrap(value: string, change: (value: string) => string): string {
  const inner = wrapped.exec(value)?.[1];
  if (inner === undefined) return change(value);
  const changed = change(Buffer.from(inner, 'base64').toString());
  return `=?base64?${Buffer.from(changed).toString('base64')}?=`;
}

function translated(text: string, connection: string): string {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return text;
  }
  const { method, params } = Object(message);
  if (typeof params !== 'object' || params === null) return text;
  if (named.has(method) && typeof params.name === 'string') params.name = outward(params.name, connection);
  if (typeof params.uri === 'string') params.uri = outward(params.uri, connection);
  if (typeof params.ref?.name === 'string') params.ref.name = outward(params.ref.name, connection);
  if (typeof params.ref?.uri === 'string') params.ref.uri = outward(params.ref.uri, connection);
  return JSON.stringify(message);
}

/** Line by line, as events come. */
function inwards(body: ReadableStream<Uint8Array>, connection: string): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  const own = (line: string): Uint8Array =>
    encoder.encode(line.replaceAll(`hub.${connection}+`, '').replaceAll(`"name":"${connection}__`, '"name":"'));
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) controller.enqueue(own(`${line}\n`));
      },
      flush(controller) {
        if (rest !== '') controller.enqueue(own(rest));
      },
    }),
  );
}
