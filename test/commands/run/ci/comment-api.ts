/** Lists, writes and updates comments as the APIs of GitHub and GitLab do: in pages, by number. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Test } from 'tap';
import { startTarget } from '../../test-workspace.ts';

type Comment = { readonly id: number; body: string };
type ReceivedRequest = { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders };

export type CommentApiOptions = {
  readonly listPath: string;
  /** Comments of other people that are there already. */
  readonly otherCount?: number;
  readonly refuseWith?: number;
};

export async function startCommentApi(t: Test, { listPath, otherCount = 0, refuseWith }: CommentApiOptions) {
  const comments: Comment[] = Array.from({ length: otherCount }, (_, index) => ({
    id: index + 1,
    body: `note ${index}`,
  }));
  const requests: ReceivedRequest[] = [];
  const { origin } = await startTarget(t, (request, response, { body: text }) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api');
    requests.push({ method: request.method ?? '', path: pathname, headers: request.headers });
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (refuseWith !== undefined) return reply(refuseWith, { message: 'refused' });
    if (request.method === 'GET' && pathname === listPath) {
      const size = Number(searchParams.get('per_page'));
      const start = (Number(searchParams.get('page')) - 1) * size;
      return reply(200, comments.slice(start, start + size));
    }
    if (request.method === 'POST' && pathname === listPath) {
      comments.push({ id: comments.length + 1, body: JSON.parse(text).body });
      return reply(201, comments.at(-1));
    }
    const edited = comments.find(({ id }) => pathname.endsWith(`/${id}`));
    if (!edited || !['PATCH', 'PUT'].includes(request.method ?? '')) return reply(404, {});
    edited.body = JSON.parse(text).body;
    reply(200, edited);
  });
  return { origin, requests, own: () => comments.slice(otherCount) };
}
