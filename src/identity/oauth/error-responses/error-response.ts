/**
 * Error responses to authorization requests that must not be reported to the client by a redirect. A browser gets an HTML
 * page; a client that does not accept HTML gets the JSON of OAuth.
 */

export type OAuthErrorResponse = {
  /** An OAuth error code, such as `invalid_client`. */
  readonly error: string;
  /** The OAuth server's description, which may quote the request. */
  readonly description: string | undefined;
  /** True when a browser returns from our pages to an interaction that has expired. */
  readonly isExpired?: boolean;
  /** The host to which the browser would have been redirected. */
  readonly host?: string;
};

/** Renders the error page with its Content-Security-Policy. */
export type RenderErrorPage = (response: OAuthErrorResponse) => { readonly html: string; readonly policy: string };

/** The part of oidc-provider's request context that is used here. */
export type ErrorResponseContext = {
  accepts(...types: string[]): string | false;
  set(name: string, value: string): void;
  type: string;
  body: unknown;
};

/** Sends the page or the JSON; the caller has set the status. Without `renderPage` every client gets JSON. */
export function sendErrorResponse(
  ctx: ErrorResponseContext,
  response: OAuthErrorResponse,
  renderPage: RenderErrorPage | undefined,
): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Vary', 'Accept');
  if (!renderPage || ctx.accepts('json', 'html') !== 'html') {
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = { error: response.error, error_description: response.description };
    return;
  }
  const { html, policy } = renderPage(response);
  ctx.set('Content-Security-Policy', policy);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html;
}
