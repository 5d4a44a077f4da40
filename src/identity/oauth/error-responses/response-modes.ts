/**
 * Authorization responses are returned in the query of a redirect only. The other response modes of oidc-provider are
 * disabled: our content security policy blocks form_post, which would also carry errors past error-redirects.ts.
 */

import { isObject } from '../../../json/json-object.ts';
import { type ErrorResponseContext, type RenderErrorPage, sendErrorResponse } from './error-response.ts';

/** The part of oidc-provider's request context that is used here. */
type ResponseModeContext = ErrorResponseContext & {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  status: number;
};

const allowedModes: readonly unknown[] = [undefined, '', 'query'];

const description = 'the only supported response mode is query; omit response_mode';

/** Middleware that rejects other response modes and removes them from the server metadata. */
export function allowOnlyQueryMode(renderPage: RenderErrorPage | undefined) {
  return async (ctx: ResponseModeContext, next: () => Promise<void>): Promise<void> => {
    if (ctx.path === '/oauth/authorize' && !allowedModes.includes(ctx.query.response_mode)) {
      ctx.status = 400;
      sendErrorResponse(ctx, { error: 'unsupported_response_mode', description }, renderPage);
      return;
    }
    await next();
    const { body } = ctx;
    if (isObject(body) && 'response_modes_supported' in body)
      Object.assign(body, { response_modes_supported: ['query'] });
  };
}
