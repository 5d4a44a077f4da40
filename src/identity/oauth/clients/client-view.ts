/** How the consent page and the list of grants describe an OAuth client. */
import type { Provider } from 'oidc-provider';
import type { OAuthClientView } from '../../../contract/consent-api.ts';

type OAuthClient = InstanceType<Provider['Client']>;

export const cliClientId = 'vp-cli';
export const cliClientName = 'vp on the command line';

/** True for an id that is the URL of a client metadata document. */
export function isMetadataDocumentId(clientId: string): boolean {
  return clientId.startsWith('https://');
}

function getRegistrationKind(id: string): OAuthClientView['registered'] {
  if (id === cliClientId) return 'built_in';
  return isMetadataDocumentId(id) ? 'metadata_document' : 'dynamic';
}

/** Host and port of a redirect URI, or its scheme when it is a private-use scheme. */
export function getRedirectHost(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (!url) return '';
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol;
}

/** `client` is undefined when it no longer exists. */
export function toClientView(
  id: string,
  client: OAuthClient | undefined,
  redirectUri: string | undefined,
): OAuthClientView {
  const registered = getRegistrationKind(id);
  const hasVerifiedDocument = registered === 'metadata_document' && client !== undefined;
  return {
    name: client?.clientName ?? id,
    id,
    host: registered === 'metadata_document' ? (URL.parse(id)?.host ?? null) : null,
    verified: hasVerifiedDocument || registered === 'built_in',
    uri: client?.clientUri ?? null,
    registered,
    redirect_host: redirectUri === undefined ? null : getRedirectHost(redirectUri),
  };
}
