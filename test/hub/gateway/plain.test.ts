/** Calls that want nothing but their answer take a shorter way: nobody can tell by what goes out or comes back. */
import t from 'tap';
import { served } from '../hostile/listening.ts';
import { events, plainTool, rawServer, text } from '../hostile/raw-server.ts';
import { connectionTo, house } from './house.ts';
import { post, toolCall } from './posting.ts';

const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'raw', version: '7' } };
const asked = { inputRequests: {}, requestState: 'state', resultType: 'input_required' };
const answers: Record<string, Record<string, unknown>> = {
  text: text('hello'),
  named: { ...text('hello'), _meta: serverInfo },
  noted: { ...text('hello'), _meta: { 'x/note': 1 } },
  failed: { ...text('it broke'), isError: true },
  structured: { ...text('{}'), structuredContent: { a: [1, { b: null }] } },
  number: { content: [], structuredContent: 7 },
  image: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png', annotations: { priority: 1 } }] },
  link: { content: [{ type: 'resource_link', uri: 'x:y', name: 'y' }] },
  asks: asked,
  shapeless: { content: 'words' },
  kindless: { ...text('x'), resultType: 'new_kind' },
  more: { ...text('ünï\u2028cødé "quoted"'), extra: { kept: true } },
};

function raw(id: unknown, error: Record<string, unknown>, status: number): Response {
  return Response.json({ jsonrpc: '2.0', id, error }, { status });
}

t.test('what comes back is the same by both ways, and so is what goes out', async (t) => {
  const seen: { headers: Headers; body: Record<string, unknown> }[] = [];
  const upstream = await served(
    t,
    rawServer({
      tools: () =>
        [...Object.keys(answers), 'refuses', 'wrong', 'broken', 'away', 'stream', 'silent'].map((name) =>
          plainTool(name),
        ),
      async call({ name }, request) {
        const id = Object(seen.at(-1)?.body).id;
        const { headers } = request;
        const told = answers[String(name)];
        if (told) return told;
        if (name === 'refuses') return raw(id, { code: -32602, message: 'no', data: { why: 'so' } }, 200);
        if (name === 'wrong') return raw(id, { code: -32020, message: 'headers' }, 400);
        if (name === 'away') return new Response('gone', { status: 503 });
        if (name === 'broken') return new Response('{', { headers: { 'Content-Type': 'application/json' } });
        const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
        const answer = { jsonrpc: '2.0', id, result: { ...text(headers.get('accept') ?? ''), resultType: 'complete' } };
        return name === 'stream' ? events([log, answer]) : events([log]);
      },
      async any(request) {
        return request.method === 'POST' ? undefined : new Response(null, { status: 405 });
      },
    }),
    0,
    (headers, body) => void seen.push({ headers, body }),
  );
  const home = await house(t, [connectionTo('raw', upstream.url)]);
  const answered = async (name: string, more: Record<string, unknown>) => {
    const answer = await post(home.served.url, 'ann', ...toolCall(`raw__${name}`, { a: 1 }, more));
    const { headers, body } = seen.at(-1) ?? {};
    const { progressToken: _token, ...meta } = Object(Object(body?.params)._meta);
    const sent = { ...body, id: undefined, params: { ...Object(body?.params), _meta: meta } };
    const names = [...(headers ?? [])].filter(
      ([key]) => !['content-length', 'accept-language', 'sec-fetch-mode'].includes(key),
    );
    const type = answer.headers.get('content-type');
    // What is wrong with an answer is found at another place, and told in other words.
    const told = (await answer.text()).replaceAll(/no MCP: [^;"]+/g, 'no MCP');
    return { status: answer.status, type, body: JSON.parse(told), sent, headers: Object.fromEntries(names) };
  };
  await answered('text', {});
  for (const name of [...Object.keys(answers), 'refuses', 'wrong', 'broken', 'away', 'stream', 'silent']) {
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const short = await answered(name, trace);
    const long = await answered(name, { ...trace, progressToken: 'p' });
    t.same(short, long, name);
    t.equal(Object(short.sent.params._meta).traceparent, trace.traceparent);
  }
  const rows = home.audit.slice(1);
  t.same(
    rows.filter((_, at) => at % 2 === 0).map(({ outcome, reason }) => [outcome, reason]),
    rows.filter((_, at) => at % 2 === 1).map(({ outcome, reason }) => [outcome, reason]),
  );
});
