/**
 * Stops error redirects before a person has seen the request. Anybody can register any redirect URI, so a link to our origin
 * must not redirect there automatically (RFC 9700 section 4.11.2): the browser gets an error page instead. Redirects to a
 * client on the person's own machine are kept.
 */
import { getRedirectHost } from '../clients/client-view.ts';
import {
  type ErrorResponseContext,
  type OAuthErrorResponse,
  type RenderErrorPage,
  sendErrorResponse,
} from './error-response.ts';

/** The part of oidc-provider's request context that is used here. */
type RedirectContext = ErrorResponseContext & {
  readonly path: string;
  readonly response: { get(name: string): string; remove(name: string): void };
  status: number;
};

/** The error that a redirect to `location` would carry; undefined for other redirects and for loopback clients. */
function parseErrorRedirect(location: string): OAuthErrorResponse | undefined {
  const url = URL.parse(location);
  const parameters = new URLSearchParams(url?.search || url?.hash.slice(1));
  const error = parameters.get('error');
  if (!url || error === null) return undefined;
  const isLoopback = url.protocol === 'http:';
  return isLoopback
    ? undefined
    : { error, description: parameters.get('error_description') ?? undefined, host: getRedirectHost(location) };
}

/** Middleware that replaces an error redirect of the authorization endpoint by an error response. */
export function interceptErrorRedirects(renderPage: RenderErrorPage | undefined) {
  return async (ctx: RedirectContext, next: () => Promise<void>): Promise<void> => {
    await next();
    if (ctx.path !== '/oauth/authorize' || ctx.status < 300 || ctx.status >= 400) return;
    const errorResponse = parseErrorRedirect(ctx.response.get('location'));
    if (!errorResponse) return;
    ctx.response.remove('location');
    ctx.status = 400;
    sendErrorResponse(ctx, errorResponse, renderPage);
  };
}
