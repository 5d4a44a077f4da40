/** The OAuth server itself, made when it is first asked: most processes never load it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { IdentityContext } from '../context.ts';
import { adapterFactory } from './adapter.ts';
import { addressHeader, configurationOf, oauthCookie, type ServerParts } from './configuration.ts';
import { refuseOtherResource } from './resource-rules.ts';
import { onlyByQuery } from './response-modes.ts';
import { signingKeys } from './signing-key.ts';
import { withoutUnaskedRedirects } from './unasked-redirects.ts';

/** A running OAuth server with its issuer. */
export type OAuthServer = {
  readonly issuer: string;
  readonly provider: Provider;
  handle(incoming: IncomingMessage, outgoing: ServerResponse, address: string): void;
};

/** Loads and makes it. */
export async function openOAuthServer(
  context: IdentityContext,
  issuer: string,
  { documents, page }: Pick<ServerParts, 'documents' | 'page'>,
): Promise<OAuthServer> {
  const [{ Provider }, { SlowDown, InvalidGrant, InvalidTarget }, keys] = await Promise.all([
    import('oidc-provider/lib/provider.js'),
    import('oidc-provider/lib/helpers/errors.js'),
    signingKeys(context),
  ]);
  const refusals = {
    slowDown: () => new SlowDown(),
    alreadyUsed: () => new InvalidGrant('already used'),
    ended: () => new InvalidGrant('the grant has ended'),
    target: (words?: string) => new InvalidTarget(words),
  };
  const adapter = adapterFactory(context, refusals, ({ resource }) =>
    refuseOtherResource(issuer, refusals, Provider.ctx?.oidc.params?.resource, resource),
  );
  const provider = new Provider(issuer, configurationOf(context, issuer, { adapter, keys, refusals, documents, page }));
  // Every URL is made from the issuer, never from what a request says of itself: see `prepared`.
  provider.proxy = true;
  const intervalSeconds = Math.ceil(context.settings.oauth.pollSeconds);
  provider.use((ctx, next) => withoutCodeInUrl(intervalSeconds, ctx, next));
  provider.use(withoutUnaskedRedirects(page));
  provider.use(onlyByQuery(page));
  tellErrors(provider, context);
  const callback = provider.callback();
  return {
    issuer,
    provider,
    handle(incoming, outgoing, address) {
      prepare(incoming, outgoing, issuer, address);
      void callback(incoming, outgoing);
    },
  };
}

/** The code of a device is typed; a link with it inside could be sent to somebody else. Says how often to ask. */
async function withoutCodeInUrl(intervalSeconds: number, ctx: { body: unknown }, next: () => Promise<void>) {
  await next();
  const { body } = ctx;
  if (typeof body === 'object' && body !== null && 'verification_uri_complete' in body)
    Object.assign(body, { verification_uri_complete: undefined, interval: intervalSeconds });
}

function prepare(
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
  if (/^\/oauth\/authorize(\?|$)/.test(url)) forgetSession(headers, outgoing, oauthCookie(issuer));
}

/** A new authorization begins without what an earlier one, perhaps of another person, has left in this browser. */
function forgetSession(headers: IncomingMessage['headers'], outgoing: ServerResponse, name: string): void {
  const names = [name, `${name}.sig`, `${name}.legacy`, `${name}.legacy.sig`];
  const pairs = (headers.cookie ?? '').split('; ').filter(Boolean);
  const kept = pairs.filter((pair) => !names.includes(pair.split('=')[0] ?? ''));
  if (kept.length === pairs.length) return;
  headers.cookie = kept.join('; ');
  const ended = names.slice(0, 2).map((one) => `${one}=; path=/oauth; expires=Thu, 01 Jan 1970 00:00:00 GMT; httponly`);
  outgoing.setHeader('Set-Cookie', ended);
}

/** What is part of every device's waiting is not worth a line. */
const usual = ['authorization_pending', 'slow_down'];

function wordOf(error: Error, name: string): string | undefined {
  const fields: Record<string, unknown> = { ...error };
  const word = fields[name];
  return typeof word === 'string' ? word : undefined;
}

function tellErrors(provider: Provider, { tell }: IdentityContext): void {
  const refused = (ctx: KoaContextWithOIDC, error: Error): void => {
    const code = wordOf(error, 'error') ?? error.name;
    const detail = wordOf(error, 'error_detail');
    if (usual.includes(code)) return;
    const client = ctx.oidc?.client?.clientId;
    tell({ event: 'oauth_refused', level: 'warn', error: code, detail, client, address: ctx.get(addressHeader) });
  };
  provider.on('grant.error', refused);
  provider.on('authorization.error', refused);
  provider.on('revocation.error', refused);
  provider.on('grant.revoked', (ctx: KoaContextWithOIDC) => {
    tell({
      event: 'oauth_grant_revoked',
      level: 'info',
      client: ctx.oidc?.client?.clientId,
      address: ctx.get(addressHeader),
    });
  });
  provider.on('server_error', (ctx: KoaContextWithOIDC, error: Error) => {
    tell({ event: 'oauth_failed', level: 'warn', error: error.message, address: ctx.get(addressHeader) });
  });
}
