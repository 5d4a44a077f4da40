/** A program as people see it. */
import type { Provider } from 'oidc-provider';
import type { AskingClient } from '../../contract/consent-api.ts';

type OAuthClient = InstanceType<Provider['Client']>;

/** What the product's own programs are called. */
export const cliClientId = 'vp-cli';
/** How it is shown to people. */
export const cliClientName = 'vp on the command line';

/** True for an id that is the address of a document. */
export function isDocumentId(clientId: string): boolean {
  return clientId.startsWith('https://');
}

function originOf(id: string): AskingClient['registered'] {
  if (id === cliClientId) return 'built_in';
  return isDocumentId(id) ? 'metadata_document' : 'dynamic';
}

/** Where a browser is sent back to: host and port, or the scheme of a program's own. */
export function redirectHostOf(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (!url) return '';
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol;
}

/** `client` is undefined where it is not known any more. */
export function askingClient(
  id: string,
  client: OAuthClient | undefined,
  redirectUri: string | undefined,
): AskingClient {
  const registered = originOf(id);
  const isVouched = registered === 'metadata_document' && client !== undefined;
  return {
    name: client?.clientName ?? id,
    id,
    host: registered === 'metadata_document' ? (URL.parse(id)?.host ?? null) : null,
    verified: isVouched || registered === 'built_in',
    uri: client?.clientUri ?? null,
    registered,
    redirect_host: redirectUri === undefined ? null : redirectHostOf(redirectUri),
  };
}
