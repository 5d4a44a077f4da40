/** The one comment of a job on a pull or merge request: written once, then updated, so that people are not flooded. */
import type { Environment } from '../../../environment/environment.ts';
import { isObject, tryParseJson } from '../../../json/json-object.ts';
import { createOutboundFetch, type OutboundFetch } from '../../../outbound/outbound-fetch.ts';
import { withTimeout } from '../../../timing/timeout.ts';

/** Where the comments of a request are. Both systems list them in pages and take `{"body"}`. */
export type CommentThread = {
  readonly listUrl: string;
  readonly editUrl: (id: number) => string;
  readonly editMethod: 'PATCH' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  /** What the token needs, for the message of a refusal. */
  readonly permission: string;
};

type Comment = { readonly key: readonly string[]; readonly text: string };

const timeoutMs = 20_000;
const pageSize = 100;
/** More comments than this are not searched: a second comment is better than a job that hangs. */
const maxPages = 30;
/** A page has a hundred comments of at most 65,536 characters. */
const maxResponseBytes = 32 * 1024 * 1024;

/** Throws an Error whose message says what was refused; it never contains the token. */
export async function writeComment(
  thread: CommentThread,
  { key, text }: Comment,
  { clock, variables }: Pick<Environment, 'clock' | 'variables'>,
): Promise<void> {
  const fetch = await createOutboundFetch({ url: thread.listUrl, extraRoots: [], variables, maxResponseBytes });
  // A comment of HTML is not displayed; `--` would end it.
  const marker = `<!-- vp ${encodeURIComponent(JSON.stringify(key)).replaceAll('-', '%2D')} -->`;
  await withTimeout({ clock, timeoutMs }, async (signal) => {
    const call = createCall(thread, fetch, signal);
    const id = await findComment(thread, marker, call);
    const body = { body: `${marker}\n${text}` };
    if (id === undefined) await call('POST', thread.listUrl, body);
    else await call(thread.editMethod, thread.editUrl(id), body);
  });
}

type Call = (method: string, url: string, body?: object) => Promise<unknown>;

function createCall({ headers }: CommentThread, fetch: OutboundFetch, signal: AbortSignal): Call {
  return async (method, url, body) => {
    const response = await fetch(url, {
      method,
      headers: body ? { ...headers, 'Content-Type': 'application/json' } : { ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal,
      redirect: 'manual',
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} was answered with status ${response.status}`);
    return tryParseJson(text);
  };
}

async function findComment({ listUrl }: CommentThread, marker: string, call: Call): Promise<number | undefined> {
  for (let page = 1; page <= maxPages; page += 1) {
    const comments = await call('GET', `${listUrl}?per_page=${pageSize}&page=${page}`);
    if (!Array.isArray(comments)) throw new Error('the list of comments is not a list');
    const own = comments.find(
      (comment) => isObject(comment) && typeof comment.body === 'string' && comment.body.startsWith(marker),
    );
    if (isObject(own) && Number.isSafeInteger(own.id)) return Number(own.id);
    if (comments.length < pageSize) return undefined;
  }
  return undefined;
}
