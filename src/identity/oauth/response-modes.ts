/**
 * How answers to authorizations go back to programs: by the query of a redirect. The other ways of the OAuth server are not
 * ours: a page that posts itself is stopped by our content policy, and would carry errors past unasked-redirects.ts.
 */

/** What is looked at of a request and its answer; the OAuth server's contexts have it. */
type Answering = {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  status: number;
  type: string;
  body: unknown;
};

const unsaid: readonly unknown[] = [undefined, '', 'query'];

/** Refuses every other way by a page of ours, and tells of none in the metadata. */
export async function onlyByQuery(ctx: Answering, next: () => Promise<void>): Promise<void> {
  if (ctx.path === '/oauth/authorize' && !unsaid.includes(ctx.query.response_mode)) {
    ctx.status = 400;
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body =
      'This request to sign in cannot go on: answers are given by the query alone (unsupported_response_mode).\n' +
      'Go back to the program; whoever makes it leaves out response_mode.\n';
    return;
  }
  await next();
  const { body } = ctx;
  if (typeof body === 'object' && body !== null && 'response_modes_supported' in body)
    Object.assign(body, { response_modes_supported: ['query'] });
}
