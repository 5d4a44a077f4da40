import { createServer } from 'node:net';
import t from 'tap';
import { objectWith } from '../../src/client/answer.ts';
import { createTransport, type Fetch } from '../../src/client/transport.ts';
import { listening } from '../http/listening.ts';

const isAnything = objectWith<{ a: number }>('a');
const ask = { method: 'GET', path: '/api/v1/x' } as const;

function answering(response: () => Response | Promise<Response>) {
  const seen: { url: string; init: Parameters<Fetch>[1] }[] = [];
  const fetch: Fetch = async (url, init) => {
    seen.push({ url, init });
    return response();
  };
  return { seen, ...createTransport({ baseUrl: 'http://cp.example/base/', token: 'key', fetch }) };
}

t.test('a call carries the credential, JSON, the query and never follows elsewhere', async (t) => {
  const { json, seen } = answering(() => Response.json({ a: 1 }));
  const query = { limit: 5, state: ['a', 'b c'], none: undefined };
  t.same(await json({ ...ask, method: 'POST', query, body: { b: 2 }, headers: { 'x-y': 'z' } }, isAnything), { a: 1 });
  t.match(seen, [
    {
      url: 'http://cp.example/base/api/v1/x?limit=5&state=a&state=b+c',
      init: {
        method: 'POST',
        body: '{"b":2}',
        redirect: 'manual',
        headers: {
          authorization: 'Bearer key',
          'content-type': 'application/json',
          accept: 'application/json',
          'x-y': 'z',
        },
      },
    },
  ]);
});

t.test('without a token nothing is said about who asks', async (t) => {
  let headers: Record<string, string> = {};
  const fetch: Fetch = async (_url, init) => {
    headers = init.headers;
    return Response.json({ a: 1 });
  };
  await createTransport({ baseUrl: 'http://cp.example', token: undefined, fetch }).json(ask, isAnything);
  t.same(headers, { accept: 'application/json' });
});

t.test('an answer of another shape is told with the address', async (t) => {
  const odd: [() => Response, RegExp][] = [
    [() => new Response('<html>'), /it is no JSON/],
    [() => Response.json([1]), /status 200 with another content/],
    [() => Response.json({ b: 1 }), /another content/],
    [() => new Response('<html>', { status: 404, headers: { 'content-type': 'text/html' } }), /status 404, text\/html/],
    [
      () => new Response(null, { status: 302, headers: { location: 'https://sso.example/' } }),
      /leads elsewhere \(https:\/\/sso/,
    ],
    [
      () => new Response('{"code": 1}', { status: 500, headers: { 'content-type': 'application/problem+json' } }),
      /status 500/,
    ],
    [() => new Response('{', { status: 500, headers: { 'content-type': 'application/problem+json' } }), /status 500/],
  ];
  for (const [response, message] of odd) {
    const { json } = answering(response);
    await t.rejects(json(ask, isAnything), {
      code: 'CONTROL_PLANE_ANSWER_UNEXPECTED',
      values: { url: 'http://cp.example/base' },
      message,
    });
  }
});

t.test('a code that is not known here keeps the words of the control plane', async (t) => {
  const problem = {
    code: 'QUOTA_EXCEEDED',
    detail: 'too many runs today',
    cure: 'wait until tomorrow',
    values: { a: [] },
  };
  const { json } = answering(() => problemResponse(429, problem));
  await t.rejects(json(ask, isAnything), {
    code: 'CONTROL_PLANE_ANSWER_UNEXPECTED',
    message: 'too many runs today',
    cure: 'wait until tomorrow',
    detail: 'answered QUOTA_EXCEEDED',
  });
});

t.test('a name of every object is no code of ours', async (t) => {
  const { json } = answering(() => problemResponse(400, { code: 'constructor', detail: 'd', cure: 'c' }));
  await t.rejects(json(ask, isAnything), { code: 'CONTROL_PLANE_ANSWER_UNEXPECTED', message: 'd' });
});

t.test('a fault inside the control plane names the request in its log', async (t) => {
  const { json } = answering(() =>
    problemResponse(500, { code: 'INTERNAL', detail: 'd', cure: 'c' }, { 'x-request-id': 'ab-1' }),
  );
  await t.rejects(json(ask, isAnything), { code: 'CONTROL_PLANE_FAULT', values: { request_id: 'ab-1' } });
});

t.test('a proxy without a control plane behind it means that nobody is there', async (t) => {
  for (const status of [502, 503, 504]) {
    const { json } = answering(
      () => new Response('<h1>Bad Gateway</h1>', { status, headers: { 'content-type': 'text/html' } }),
    );
    await t.rejects(json(ask, isAnything), {
      code: 'CONTROL_PLANE_UNREACHABLE',
      values: { problem: `something before it answers ${status}` },
    });
  }
});

t.test('nobody there: the reason in words, and how to go on', async (t) => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const address = closed.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await new Promise((resolve) => closed.close(resolve));
  const at = (baseUrl: string) => createTransport({ baseUrl, token: 'key', fetch }).json(ask, isAnything);
  await t.rejects(at(`http://127.0.0.1:${port}`), {
    code: 'CONTROL_PLANE_UNREACHABLE',
    message: `the control plane at http://127.0.0.1:${port} cannot be reached: nothing listens there`,
    cure: /vp serve/,
  });
  await t.rejects(at('http://no-such-name.invalid'), {
    code: 'CONTROL_PLANE_UNREACHABLE',
    values: { problem: /name/ },
  });
  await t.rejects(at('not an address'), { code: 'CONTROL_PLANE_UNREACHABLE' });
});

t.test('a call that takes too long is given up, its connection too', async (t) => {
  const aborted = Promise.withResolvers<void>();
  const { url } = await listening(t, (request) => {
    request.signal.addEventListener('abort', () => aborted.resolve());
    return new Promise(() => undefined);
  });
  const { json } = createTransport({ baseUrl: url, token: 'key', fetch });
  await t.rejects(json({ ...ask, limitMs: 30 }, isAnything), {
    code: 'CONTROL_PLANE_UNREACHABLE',
    values: { problem: 'no answer within 0.03 s' },
  });
  await aborted.promise;
});

t.test('an answer that stops in the middle is given up too', async (t) => {
  const { url } = await listening(t, async () => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')) });
    return new Response(body);
  });
  const { json } = createTransport({ baseUrl: url, token: 'key', fetch });
  await t.rejects(json({ ...ask, limitMs: 60 }, isAnything), { code: 'CONTROL_PLANE_UNREACHABLE' });
});

t.test('a caller who gives up gets its own reason back', async (t) => {
  const { url } = await listening(t, () => new Promise(() => undefined));
  const { json } = createTransport({ baseUrl: url, token: 'key', fetch });
  const leaving = new AbortController();
  const call = json({ ...ask, signal: leaving.signal }, isAnything);
  setTimeout(() => leaving.abort(new Error('Ctrl-C')), 20);
  await t.rejects(call, { message: 'Ctrl-C' });
  await t.rejects(json({ ...ask, signal: leaving.signal }, isAnything), { message: 'Ctrl-C' }, 'before it began too');
});

function problemResponse(status: number, problem: object, headers: Record<string, string> = {}): Response {
  const type = { 'content-type': 'application/problem+json; charset=utf-8' };
  return new Response(JSON.stringify(problem), { status, headers: { ...type, ...headers } });
}
