/**
 * Requests for authorization that cannot go on, and that the program is not to be told of by a redirect. A person in a
 * browser gets a page of ours; a program, which does not ask for HTML, gets the JSON of OAuth.
 */

/** What went wrong, in the words of OAuth. */
export type RefusedRequest = {
  /** A code of OAuth, such as `invalid_client`. */
  readonly error: string;
  /** The server's own sentence; parts of the request may stand in it. */
  readonly why: string | undefined;
  /** True where a person comes back from our pages to what has ended meanwhile. */
  readonly ended?: boolean;
  /** Where the browser would have been sent on to. */
  readonly host?: string;
};

/** Makes the page for a person, with its Content-Security-Policy. */
export type RefusedPage = (refused: RefusedRequest) => { readonly html: string; readonly policy: string };

/** What is looked at of a request and set in its answer; the OAuth server's contexts have it. */
export type Refusing = {
  accepts(...types: string[]): string | false;
  set(name: string, value: string): void;
  type: string;
  body: unknown;
};

/** Answers with the page or the JSON; the status is set already. Without a page everybody gets the JSON. */
export function tellRefused(ctx: Refusing, refused: RefusedRequest, page: RefusedPage | undefined): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Vary', 'Accept');
  if (!page || ctx.accepts('json', 'html') !== 'html') {
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = { error: refused.error, error_description: refused.why };
    return;
  }
  const { html, policy } = page(refused);
  ctx.set('Content-Security-Policy', policy);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html;
}
