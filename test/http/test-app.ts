/** An app with every kind of route, for tests of what all apps have in common. */
import { Type } from '@sinclair/typebox';
import { vpError } from '../../src/errors/vp-error.ts';
import { authenticateBearer } from '../../src/http/bearer.ts';
import { createApp } from '../../src/http/create-app.ts';
import { createRouteFactories } from '../../src/http/route.ts';
import { createMemoryLog } from './memory-log.ts';

type TestCaller = { readonly kind: 'reader' } | { readonly kind: 'writer'; readonly name: string };
type TestServices = { readonly writtenTexts: string[] };

type WriterCaller = Extract<TestCaller, { kind: 'writer' }>;

const { route, openRoute } = createRouteFactories<
  TestServices,
  TestCaller,
  { read: TestCaller; write: WriterCaller; break: TestCaller }
>({
  allows: (caller, action): caller is WriterCaller => action === 'read' || caller.kind === kindsByAction[action],
});
const kindsByAction = { write: 'writer', break: 'reader', read: 'anybody' } as const;

const Entry = Type.Object({ text: Type.String({ minLength: 1 }), count: Type.Optional(Type.Integer({ minimum: 0 })) });

/** `/broken/{how}` fails in the requested way. */
export const testRoutes = [
  openRoute({
    method: 'GET',
    path: '/open',
    operation: 'open',
    summary: 'For anyone',
    response: Type.Object({ ok: Type.Boolean() }),
    handler: async () => ({ ok: true }),
  }),
  route({
    method: 'GET',
    path: '/entries/{id}',
    operation: 'read',
    summary: 'Read',
    action: 'read',
    params: Type.Object({ id: Type.Integer() }),
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ maximum: 9 })),
      tag: Type.Optional(Type.Array(Type.String())),
      all: Type.Optional(Type.Boolean()),
    }),
    headers: Type.Object({ 'x-depth': Type.Optional(Type.Integer()) }),
    response: Type.Object({ params: Type.Any(), query: Type.Any(), headers: Type.Any() }),
    handler: async ({ params, query, headers }) => ({ params, query, headers }),
  }),
  route({
    method: 'PUT',
    path: '/entries/{id}',
    operation: 'write',
    summary: 'Write',
    action: 'write',
    params: Type.Object({ id: Type.String() }),
    body: Entry,
    bodyLimitBytes: 1000,
    response: Type.Object({ by: Type.String(), text: Type.String() }),
    status: 201,
    handler: async ({ caller, body, services }) => {
      services.writtenTexts.push(body.text);
      return { by: caller.name, text: body.text };
    },
  }),
  route({
    method: 'DELETE',
    path: '/entries/{id}',
    operation: 'remove',
    summary: 'Remove',
    action: 'write',
    params: Type.Object({ id: Type.String() }),
    handler: async () => undefined,
  }),
  route({
    method: 'GET',
    path: '/broken/{how}',
    operation: 'broken',
    summary: 'Fail',
    action: 'break',
    params: Type.Object({ how: Type.String() }),
    response: Type.Object({ done: Type.Boolean() }),
    handler: async ({ params, whileConnected }) => {
      if (params.how === 'crash') throw new TypeError('secret of the house');
      if (params.how === 'store') throw vpError('STORE_CLOSED', {}, { detail: 'handle 17' });
      if (params.how === 'limit') throw vpError('RATE_LIMITED', { retry_after_s: 7 });
      if (params.how === 'wait') await whileConnected((signal) => new Promise((_, reject) => waitFor(signal, reject)));
      return JSON.parse('{"done": "perhaps"}');
    },
  }),
];

function waitFor(signal: AbortSignal, reject: (reason: unknown) => void): void {
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener('abort', () => reject(signal.reason));
}

/** The app with its log lines and written texts. Tokens are `reader` and `writer`. */
export function createTestApp(checkResponses = false) {
  const { log, lines } = createMemoryLog();
  const writtenTexts: string[] = [];
  const countedResponses: string[] = [];
  const app = createApp<TestServices, TestCaller>({
    routes: testRoutes,
    services: { writtenTexts },
    identify: ({ request }) =>
      authenticateBearer<TestCaller>(request.headers, async (token) => {
        if (token === 'reader') return { kind: 'reader' };
        return token === 'writer' ? { kind: 'writer', name: 'ana' } : undefined;
      }),
    clock: { monotonicMs: () => 0 },
    log,
    metrics: { countResponse: (path, method, status) => countedResponses.push(`${method} ${path} ${status}`) },
    checkResponses: checkResponses,
  });
  const request = async (
    method: string,
    path: string,
    init: RequestInit & { key?: string } = {},
  ): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (init.key) headers.set('authorization', `Bearer ${init.key}`);
    return app.fetch(new Request(`http://localhost${path}`, { ...init, method, headers }));
  };
  return { app, ask: request, lines, written: writtenTexts, counted: countedResponses };
}

/** A JSON body. */
export function jsonInit(value: unknown): RequestInit {
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}
