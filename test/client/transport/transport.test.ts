import { createServer } from 'node:net';
import t from 'tap';
import { createObjectGuard } from '../../../src/client/transport/json-response.ts';
import { isTransientError } from '../../../src/client/transport/transient-error.ts';
import { createTransport, type Fetch } from '../../../src/client/transport/transport.ts';
import { startListener } from '../../http/test-listener.ts';

const isAnything = createObjectGuard<{ a: number }>('a');
const getRequest = { method: 'GET', path: '/api/v1/x' } as const;

function createAnsweringTransport(response: () => Response | Promise<Response>) {
  const requests: { url: string; init: Parameters<Fetch>[1] }[] = [];
  const fetch: Fetch = async (url, init) => {
    requests.push({ url, init });
    return response();
  };
  return { requests: requests, ...createTransport({ baseUrl: 'http://cp.example/base/', token: 'key', fetch }) };
}

t.test('a call sends credential, JSON and query, and never follows redirects', async (t) => {
  const { json, requests } = createAnsweringTransport(() => Response.json({ a: 1 }));
  const query = { limit: 5, state: ['a', 'b c'], none: undefined };
  t.same(await json({ ...getRequest, method: 'POST', query, body: { b: 2 }, headers: { 'x-y': 'z' } }, isAnything), {
    a: 1,
  });
  t.match(requests, [
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

t.test('without a token no authorization header is sent', async (t) => {
  let headers: Record<string, string> = {};
  const fetch: Fetch = async (_url, init) => {
    headers = init.headers;
    return Response.json({ a: 1 });
  };
  await createTransport({ baseUrl: 'http://cp.example', token: undefined, fetch }).json(getRequest, isAnything);
  t.same(headers, { accept: 'application/json' });
});

t.test('an unexpected response is reported with the URL', async (t) => {
  const unexpectedResponses: [() => Response, RegExp][] = [
    [() => new Response('<html>'), /the body is not JSON/],
    [() => Response.json([1]), /status 200 with unexpected content/],
    [() => Response.json({ b: 1 }), /unexpected content/],
    [() => new Response('<html>', { status: 404, headers: { 'content-type': 'text/html' } }), /status 404, text\/html/],
    [
      () => new Response(null, { status: 302, headers: { location: 'https://sso.example/' } }),
      /redirects to https:\/\/sso/,
    ],
    [
      () => new Response('{"code": 1}', { status: 500, headers: { 'content-type': 'application/problem+json' } }),
      /status 500/,
    ],
    [() => new Response('{', { status: 500, headers: { 'content-type': 'application/problem+json' } }), /status 500/],
  ];
  for (const [response, message] of unexpectedResponses) {
    const { json } = createAnsweringTransport(response);
    await t.rejects(json(getRequest, isAnything), {
      code: 'CONTROL_PLANE_ANSWER_UNEXPECTED',
      values: { url: 'http://cp.example/base' },
      message,
    });
  }
});

t.test('an unknown error code keeps the message of the control plane', async (t) => {
  const problem = {
    code: 'QUOTA_EXCEEDED',
    detail: 'too many runs today',
    cure: 'wait until tomorrow',
    values: { a: [] },
  };
  const { json } = createAnsweringTransport(() => problemResponse(429, problem));
  await t.rejects(json(getRequest, isAnything), {
    code: 'CONTROL_PLANE_ANSWER_UNEXPECTED',
    message: 'too many runs today',
    cure: 'wait until tomorrow',
    detail: 'answered QUOTA_EXCEEDED',
  });
});

t.test('an inherited property name is not an error code', async (t) => {
  const { json } = createAnsweringTransport(() =>
    problemResponse(400, { code: 'constructor', detail: 'd', cure: 'c' }),
  );
  await t.rejects(json(getRequest, isAnything), { code: 'CONTROL_PLANE_ANSWER_UNEXPECTED', message: 'd' });
});

t.test('an internal error of the control plane has the request id of its log', async (t) => {
  const { json } = createAnsweringTransport(() =>
    problemResponse(500, { code: 'INTERNAL', detail: 'd', cure: 'c' }, { 'x-request-id': 'ab-1' }),
  );
  await t.rejects(json(getRequest, isAnything), { code: 'CONTROL_PLANE_FAULT', values: { request_id: 'ab-1' } });
});

t.test('a gateway error of a proxy means that the control plane is unreachable', async (t) => {
  for (const status of [429, 502, 503, 504]) {
    const { json } = createAnsweringTransport(
      () => new Response('<h1>Bad Gateway</h1>', { status, headers: { 'content-type': 'text/html' } }),
    );
    await t.rejects(json(getRequest, isAnything), {
      code: 'CONTROL_PLANE_UNREACHABLE',
      values: { problem: `a proxy in front of it responds with ${status}` },
    });
  }
});

t.test('for a limit of requests the fix is not to start a control plane', async (t) => {
  const { json } = createAnsweringTransport(() => new Response(null, { status: 429 }));
  const error: unknown = await json(getRequest, isAnything).catch((thrown: unknown) => thrown);
  t.match(error, { cure: /wait a minute, or raise the limit/ });
});

t.test('a request that did not arrive in time can be repeated', async (t) => {
  const { json } = createAnsweringTransport(() => new Response(null, { status: 408 }));
  const error: unknown = await json(getRequest, isAnything).catch((thrown: unknown) => thrown);
  t.match(error, {
    code: 'CONTROL_PLANE_UNREACHABLE',
    values: { problem: 'it did not receive the whole request in time (408)' },
  });
  t.ok(isTransientError(error), 'so executors and event streams go on');
});

t.test('an unreachable control plane is reported with the reason and the fix', async (t) => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const address = closed.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await new Promise((resolve) => closed.close(resolve));
  const callAt = (baseUrl: string) => createTransport({ baseUrl, token: 'key', fetch }).json(getRequest, isAnything);
  await t.rejects(callAt(`http://127.0.0.1:${port}`), {
    code: 'CONTROL_PLANE_UNREACHABLE',
    message: `the control plane at http://127.0.0.1:${port} cannot be reached: nothing listens there (ECONNREFUSED)`,
    cure: /vp serve/,
  });
  await t.rejects(callAt('http://no-such-name.invalid'), {
    code: 'CONTROL_PLANE_UNREACHABLE',
    values: { problem: /name/ },
  });
  await t.rejects(callAt('not an address'), { code: 'CONTROL_PLANE_UNREACHABLE' });
});

t.test('a call that takes too long is aborted with its connection', async (t) => {
  const aborted = Promise.withResolvers<void>();
  const { url } = await startListener(t, (request) => {
    request.signal.addEventListener('abort', () => aborted.resolve());
    return new Promise(() => undefined);
  });
  const { json } = createTransport({ baseUrl: url, token: 'key', fetch });
  await t.rejects(json({ ...getRequest, timeoutMs: 30 }, isAnything), {
    code: 'CONTROL_PLANE_UNREACHABLE',
    values: { problem: 'no response within 0.03 s' },
  });
  await aborted.promise;
});

t.test('a response that stops in the middle is aborted too', async (t) => {
  const { url } = await startListener(t, async () => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')) });
    return new Response(body);
  });
  const { json } = createTransport({ baseUrl: url, token: 'key', fetch });
  await t.rejects(json({ ...getRequest, timeoutMs: 60 }, isAnything), { code: 'CONTROL_PLANE_UNREACHABLE' });
});

t.test('an aborted call throws the caller’s reason', async (t) => {
  const entered = Promise.withResolvers<void>();
  const { url } = await startListener(t, () => {
    entered.resolve();
    return new Promise(() => undefined);
  });
  const { json } = createTransport({ baseUrl: url, token: 'key', fetch });
  const controller = new AbortController();
  const rejection = t.rejects(json({ ...getRequest, signal: controller.signal }, isAnything), { message: 'Ctrl-C' });
  await entered.promise;
  controller.abort(new Error('Ctrl-C'));
  await rejection;
  await t.rejects(
    json({ ...getRequest, signal: controller.signal }, isAnything),
    { message: 'Ctrl-C' },
    'before it began too',
  );
});

function problemResponse(status: number, problem: object, headers: Record<string, string> = {}): Response {
  const type = { 'content-type': 'application/problem+json; charset=utf-8' };
  return new Response(JSON.stringify(problem), { status, headers: { ...type, ...headers } });
}
