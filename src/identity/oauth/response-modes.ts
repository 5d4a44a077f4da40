/**
 * How answers to authorizations go back to programs: by the query of a redirect. The other ways of the OAuth server are not
 * ours: a page that posts itself is stopped by our content policy, and would carry errors past unasked-redirects.ts.
 */
import { type RefusedPage, type Refusing, tellRefused } from './refused-requests.ts';

/** What is looked at of a request and its answer; the OAuth server's contexts have it. */
type Answering = Refusing & {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  status: number;
};

const unsaid: readonly unknown[] = [undefined, '', 'query'];

const why = 'answers are given by the query alone; whoever makes the program leaves out response_mode';

/** Refuses every other way here, and tells of none in the metadata. */
export function onlyByQuery(page: RefusedPage | undefined) {
  return async (ctx: Answering, next: () => Promise<void>): Promise<void> => {
    if (ctx.path === '/oauth/authorize' && !unsaid.includes(ctx.query.response_mode)) {
      ctx.status = 400;
      tellRefused(ctx, { error: 'unsupported_response_mode', why }, page);
      return;
    }
    await next();
    const { body } = ctx;
    if (typeof body === 'object' && body !== null && 'response_modes_supported' in body)
      Object.assign(body, { response_modes_supported: ['query'] });
  };
}
