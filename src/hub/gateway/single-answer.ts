/** Answers that nothing can come before, as plain JSON instead of a stream of one event: any tool that speaks HTTP reads them. */
import { askedOf } from './rpc-answers.ts';

const single = new Set([
  'initialize',
  'ping',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** The same answer, as JSON where the request is of that kind. */
export async function singleAnswer(response: Response, body: unknown): Promise<Response> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !single.has(askedOf(body).method)) return response;
  const text = await response.text();
  const [data] = text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .filter(Boolean);
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  headers.delete('connection');
  return new Response(data ?? '', { status: response.status, headers });
}
