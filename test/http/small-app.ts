/** A small app of every kind of route, for tests of what all apps have in common. */
import { Type } from '@sinclair/typebox';
import { vpError } from '../../src/errors/vp-error.ts';
import { createApp } from '../../src/http/app.ts';
import { callerOf } from '../../src/http/bearer.ts';
import { routesFor } from '../../src/http/route.ts';
import { keptLog } from './kept-log.ts';

type SmallCaller = { readonly kind: 'reader' } | { readonly kind: 'writer'; readonly name: string };
type Services = { readonly written: string[] };

type Writer = Extract<SmallCaller, { kind: 'writer' }>;

const { route, openRoute } = routesFor<Services, SmallCaller, { read: SmallCaller; write: Writer; break: SmallCaller }>(
  {
    allows: (caller, action): caller is Writer => action === 'read' || caller.kind === actors[action],
  },
);
const actors = { write: 'writer', break: 'reader', read: 'anybody' } as const;

const Entry = Type.Object({ text: Type.String({ minLength: 1 }), count: Type.Optional(Type.Integer({ minimum: 0 })) });

/** The routes; `/broken/{how}` fails in the way that is asked for. */
export const smallRoutes = [
  openRoute({
    method: 'GET',
    path: '/open',
    operation: 'open',
    summary: 'For anyone',
    answer: Type.Object({ ok: Type.Boolean() }),
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
    answer: Type.Object({ params: Type.Any(), query: Type.Any(), headers: Type.Any() }),
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
    answer: Type.Object({ by: Type.String(), text: Type.String() }),
    status: 201,
    handler: async ({ caller, body, services }) => {
      services.written.push(body.text);
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
    answer: Type.Object({ done: Type.Boolean() }),
    handler: async ({ params, waiting }) => {
      if (params.how === 'crash') throw new TypeError('secret of the house');
      if (params.how === 'store') throw vpError('STORE_CLOSED', {}, { detail: 'handle 17' });
      if (params.how === 'limit') throw vpError('RATE_LIMITED', { retry_after_s: 7 });
      if (params.how === 'wait') await waiting((signal) => new Promise((_, reject) => waitFor(signal, reject)));
      return JSON.parse('{"done": "perhaps"}');
    },
  }),
];

function waitFor(signal: AbortSignal, reject: (reason: unknown) => void): void {
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener('abort', () => reject(signal.reason));
}

/** The app with what it logged and wrote. Tokens are `reader` and `writer`. */
export function smallApp(checkAnswers = false) {
  const { log, lines } = keptLog();
  const written: string[] = [];
  const counted: string[] = [];
  const app = createApp<Services, SmallCaller>({
    routes: smallRoutes,
    services: { written },
    identify: ({ request }) =>
      callerOf<SmallCaller>(request.headers, async (token) => {
        if (token === 'reader') return { kind: 'reader' };
        return token === 'writer' ? { kind: 'writer', name: 'ana' } : undefined;
      }),
    clock: { monotonicMs: () => 0 },
    log,
    metrics: { answered: (path, method, status) => counted.push(`${method} ${path} ${status}`) },
    checkAnswers,
  });
  const ask = async (method: string, path: string, init: RequestInit & { key?: string } = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (init.key) headers.set('authorization', `Bearer ${init.key}`);
    return app.fetch(new Request(`http://localhost${path}`, { ...init, method, headers }));
  };
  return { app, ask, lines, written, counted };
}

/** A JSON body. */
export function jsonInit(value: unknown): RequestInit {
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}
