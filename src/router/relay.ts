/** One request of an agent: to its executor, and the answer back. */
import type { Readable } from 'node:stream';
import type { AgentClaim } from '../contract/agent-token.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';
import type { Log } from '../http/log.ts';
import { eventOf, holdsResponse, StreamFault, wholeEvents } from './event-stream.ts';
import { towardsAgentOf, towardsExecutorOf } from './forwarded-headers.ts';
import { answerLocally, type Posted, type ToolsOf } from './local-answer.ts';
import { type FailedAt, failureOf, type Upstream, type UpstreamAnswer } from './upstream.ts';
import type { Whereabouts } from './whereabouts.ts';

/** Larger answers that are no stream are no answers of tools, which are bounded. */
const largestAnswerBytes = 16 * 1024 * 1024;

/** What a relay is made of. */
export type RelayOptions = { readonly upstream: Upstream; readonly toolsOf: ToolsOf; readonly log: Log };

/** Sends `posted` to where the executor of `claim` is. Never rejects for what the executor does; see `answerLocally`. */
export async function relay(
  options: RelayOptions,
  { instance, role }: AgentClaim,
  where: Whereabouts,
  posted: Posted,
): Promise<Response> {
  const tools = options.toolsOf(role);
  const instead = (error: VpError): Promise<Response> => answerLocally(posted, tools, error);
  if (where.kind === 'stopped') return instead(vpError('ROUTER_EXECUTOR_STOPPED', { instance }));
  const at: FailedAt = { instance, url: where.url };
  const failed = (thrown: unknown): VpError => {
    const error = failureOf(thrown, at);
    if (!posted.signal.aborted) options.log.warn({ code: error.code, instance, url: at.url }, error.message);
    return error;
  };
  try {
    const { body, signal } = posted;
    const answer = await options.upstream.post(at.url, { headers: towardsExecutorOf(posted.headers), body, signal });
    return await passed(answer, at, posted, async (thrown) => instead(failed(thrown)));
  } catch (error) {
    return instead(failed(error));
  }
}

/** The answer to pass on. Throws what makes it none of an executor's. */
async function passed(
  answer: UpstreamAnswer,
  at: FailedAt,
  posted: Posted,
  instead: (thrown: unknown) => Promise<Response>,
): Promise<Response> {
  const { status } = answer;
  const headers = towardsAgentOf(answer.headers);
  const media = mediaOf(headers);
  if (media === 'text/event-stream' && status === 200) {
    return new Response(relayedEvents(answer.body, posted, instead), { status, headers });
  }
  const bytes = await wholeBody(answer.body, at);
  if (!isOfExecutor(status, media, bytes)) {
    const problem = `what answers there (${status}, ${media || 'no content type'}) has no tools for agents`;
    throw vpError('ROUTER_EXECUTOR_AWAY', { ...at, problem });
  }
  return new Response(bytes.length === 0 ? null : Uint8Array.from(bytes), { status, headers });
}

function mediaOf(headers: Headers): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Refusals of its listener are problems; those that mean that it cannot answer at all are not for agents. */
function isOfExecutor(status: number, media: string, bytes: Uint8Array): boolean {
  if (status >= 300 && status < 400) return false;
  if (media === 'application/json') return true;
  if (media === 'application/problem+json') return ![404, 405, 421].includes(status) && status < 500;
  return bytes.length === 0 && status >= 200 && status < 300;
}

/** A whole answer, so that one that breaks off half-way is told and not passed on. */
async function wholeBody(body: Readable, at: FailedAt): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largestAnswerBytes) {
      throw vpError('ROUTER_ANSWER_LOST', { ...at, problem: `its answer is larger than ${largestAnswerBytes} bytes` });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The stream as it comes; where it ends without the response, one that says why. */
function relayedEvents(
  body: Readable,
  posted: Posted,
  instead: (thrown: unknown) => Promise<Response>,
): ReadableStream<Uint8Array> {
  const id = awaitedId(posted.body);
  const events = wholeEvents(body);
  let answered = id === undefined;
  const ending = async (thrown: unknown): Promise<Uint8Array | undefined> =>
    answered || posted.signal.aborted ? undefined : Buffer.from(await asEvents(await instead(thrown)));
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await events.next();
        if (!next.done) {
          answered ||= id !== undefined && holdsResponse(next.value, id);
          controller.enqueue(next.value);
          return;
        }
        finish(controller, await ending(new StreamFault('it ended before the answer')));
      } catch (error) {
        finish(controller, await ending(error));
      }
    },
    cancel() {
      body.destroy();
    },
  });
}

function finish(controller: ReadableStreamDefaultController<Uint8Array>, last: Uint8Array | undefined): void {
  if (last) controller.enqueue(last);
  controller.close();
}

/** The id of the one request that the stream must answer; a subscription ends when it ends. */
function awaitedId(body: Uint8Array): string | number | undefined {
  const message: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
  if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message)) return undefined;
  const { id, method } = message;
  if (method === 'subscriptions/listen') return undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

async function asEvents(response: Response): Promise<string> {
  const text = await response.text();
  return mediaOf(response.headers) === 'text/event-stream' ? text : eventOf(text);
}
