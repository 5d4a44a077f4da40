/** A server of the newest era written by hand, so that it can do what no library would. */

/** What a method answers: a result, or a whole response. */
export type RawAnswer = Record<string, unknown> | Response | Promise<Record<string, unknown> | Response>;

/** The tools and calls of a raw server; whatever throws is answered 500. */
export type RawServer = {
  readonly tools?: () => readonly Record<string, unknown>[];
  readonly call?: (params: Record<string, unknown>, request: Request) => RawAnswer;
  readonly any?: (request: Request, method: string) => Response | undefined | Promise<Response | undefined>;
};

/** A tool that is as it should be. */
export function plainTool(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { name, description: `The tool ${name}`, inputSchema: { type: 'object', properties: {} }, ...more };
}

/** A result of a call with one text. */
export function text(value: string): Record<string, unknown> {
  return { content: [{ type: 'text', text: value }] };
}

/** Serves it. */
export function rawServer({ tools = () => [plainTool('tool')], call = () => text('done'), any }: RawServer) {
  return async (request: Request): Promise<Response> => {
    const body = request.method === 'POST' ? await request.json() : {};
    const { method = '', id = null, params = {} } = Object(body);
    const special = await any?.(request, method);
    if (special) return special;
    const result = await resultOf(method, params, request, tools, call);
    if (result instanceof Response) return result;
    return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
  };
}

function resultOf(
  method: string,
  params: Record<string, unknown>,
  request: Request,
  tools: NonNullable<RawServer['tools']>,
  call: NonNullable<RawServer['call']>,
): RawAnswer {
  const cached = { ttlMs: 0, cacheScope: 'private' };
  if (method === 'server/discover') {
    return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...cached };
  }
  if (method === 'tools/list') return { tools: tools(), ...cached };
  if (method === 'tools/call') return call(params, request);
  return new Response('no such method', { status: 404 });
}

/** An answer as a stream of events: the messages, then its end. */
export function events(messages: Iterable<unknown>): Response {
  const all = [...messages].map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join('');
  return new Response(all, { headers: { 'Content-Type': 'text/event-stream' } });
}
