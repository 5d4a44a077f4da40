/** The OAuth server (oidc-provider), which is loaded at first use: most processes never need it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { isObject } from '../../json/json-object.ts';
import type { IdentityContext } from '../context.ts';
import { createAdapterFactory } from './adapter.ts';
import {
  addressHeader,
  buildOAuthServerConfiguration,
  getOAuthCookieName,
  type OAuthServerOptions,
} from './configuration.ts';
import { interceptErrorRedirects } from './error-responses/error-redirects.ts';
import { allowOnlyQueryMode } from './error-responses/response-modes.ts';
import { assertGrantedResource } from './resources/resource-rules.ts';
import { loadSigningKeys } from './signing-key.ts';

export type OAuthServer = {
  readonly issuer: string;
  readonly provider: Provider;
  handle(incoming: IncomingMessage, outgoing: ServerResponse, address: string): void;
};

export async function openOAuthServer(
  context: IdentityContext,
  issuer: string,
  { documentFetcher, errorPage }: Pick<OAuthServerOptions, 'documentFetcher' | 'errorPage'>,
): Promise<OAuthServer> {
  const [{ Provider }, { SlowDown, InvalidGrant, InvalidTarget }, keys] = await Promise.all([
    import('oidc-provider/lib/provider.js'),
    import('oidc-provider/lib/helpers/errors.js'),
    loadSigningKeys(context),
  ]);
  const errors = {
    slowDown: () => new SlowDown(),
    alreadyUsed: () => new InvalidGrant('already used'),
    grantEnded: () => new InvalidGrant('the grant has ended'),
    invalidTarget: (description?: string) => new InvalidTarget(description),
  };
  const adapter = createAdapterFactory(context, errors, () => {
    const requestedResource = Provider.ctx?.oidc.params?.resource;
    return ({ resource }) => assertGrantedResource(issuer, errors, requestedResource, resource);
  });
  const provider = new Provider(
    issuer,
    buildOAuthServerConfiguration(context, issuer, { adapter, keys, errors, documentFetcher, errorPage }),
  );
  // URLs are built from the forwarded headers that `prepareRequest` sets to the issuer, never from the client's headers.
  provider.proxy = true;
  const intervalSeconds = Math.ceil(context.settings.oauth.pollIntervalSeconds);
  provider.use((ctx, next) => removeUserCodeUrl(intervalSeconds, ctx, next));
  provider.use(interceptErrorRedirects(errorPage));
  provider.use(allowOnlyQueryMode(errorPage));
  logErrors(provider, context);
  const callback = provider.callback();
  return {
    issuer,
    provider,
    handle(incoming, outgoing, address) {
      prepareRequest(incoming, outgoing, issuer, address);
      void callback(incoming, outgoing);
    },
  };
}

/** Removes `verification_uri_complete`, since a link with the code could be sent to somebody else, and adds `interval`. */
async function removeUserCodeUrl(intervalSeconds: number, ctx: { body: unknown }, next: () => Promise<void>) {
  await next();
  const { body } = ctx;
  if (isObject(body) && 'verification_uri_complete' in body)
    Object.assign(body, { verification_uri_complete: undefined, interval: intervalSeconds });
}

function prepareRequest(
  { headers, url = '' }: IncomingMessage,
  outgoing: ServerResponse,
  issuer: string,
  address: string,
): void {
  const { protocol, host } = new URL(issuer);
  headers['x-forwarded-proto'] = protocol.slice(0, -1);
  headers['x-forwarded-host'] = host;
  headers['x-forwarded-for'] = address;
  headers[addressHeader] = address;
  if (/^\/oauth\/authorize(\?|$)/.test(url)) clearSessionCookies(headers, outgoing, getOAuthCookieName(issuer));
}

/** A new authorization starts without the session of an earlier one, which may belong to another person. */
function clearSessionCookies(headers: IncomingMessage['headers'], outgoing: ServerResponse, name: string): void {
  const names = [name, `${name}.sig`, `${name}.legacy`, `${name}.legacy.sig`];
  const pairs = (headers.cookie ?? '').split('; ').filter(Boolean);
  const remaining = pairs.filter((pair) => !names.includes(pair.split('=')[0] ?? ''));
  if (remaining.length === pairs.length) return;
  headers.cookie = remaining.join('; ');
  const expiredCookies = names
    .slice(0, 2)
    .map((cookieName) => `${cookieName}=; path=/oauth; expires=Thu, 01 Jan 1970 00:00:00 GMT; httponly`);
  outgoing.setHeader('Set-Cookie', expiredCookies);
}

/** Every waiting device causes these errors, so they are not logged. */
const pollingErrors = ['authorization_pending', 'slow_down'];

function getTextField(error: Error, name: string): string | undefined {
  const fields: Record<string, unknown> = { ...error };
  const text = fields[name];
  return typeof text === 'string' ? text : undefined;
}

function logErrors(provider: Provider, { logSecurityEvent }: IdentityContext): void {
  const logError = (ctx: KoaContextWithOIDC, error: Error): void => {
    const code = getTextField(error, 'error') ?? error.name;
    const detail = getTextField(error, 'error_detail');
    if (pollingErrors.includes(code)) return;
    const client = ctx.oidc?.client?.clientId;
    logSecurityEvent({
      event: 'oauth_refused',
      level: 'warn',
      error: code,
      detail,
      client,
      address: ctx.get(addressHeader),
    });
  };
  provider.on('grant.error', logError);
  provider.on('authorization.error', logError);
  provider.on('revocation.error', logError);
  provider.on('grant.revoked', (ctx: KoaContextWithOIDC) => {
    logSecurityEvent({
      event: 'oauth_grant_revoked',
      level: 'info',
      client: ctx.oidc?.client?.clientId,
      address: ctx.get(addressHeader),
    });
  });
  provider.on('server_error', (ctx: KoaContextWithOIDC, error: Error) => {
    logSecurityEvent({ event: 'oauth_failed', level: 'warn', error: error.message, address: ctx.get(addressHeader) });
  });
}
