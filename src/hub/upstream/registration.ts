/**
 * The hub as a client of an upstream's authorization server: by the owner's words, registered by itself (RFC 7591), or described
 * by a document of its own that the server reads (client ID metadata document), where it has a public address.
 */
import { type AuthorizationServerMetadata, registerClient } from '@modelcontextprotocol/client';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { Connection, ConnectionSecrets } from '../words.ts';
import { clientDescription, clientDocumentUrl } from './client-description.ts';
import { changeGrant, type KeptClient, readGrant, type SignInClient } from './kept-grant.ts';
import type { PlaceParts, SignInPlace } from './sign-in-place.ts';

/** What it works with. */
export type RegistrationParts = PlaceParts & { readonly secrets: ConnectionSecrets };

/** The client for a sign-in that comes back to `redirectUrl`. Throws CONNECTION_SIGN_IN_UNAVAILABLE, CONNECTION_SIGN_IN_OVER. */
export async function signInClient(
  connection: Connection,
  place: SignInPlace,
  redirectUrl: string,
  parts: RegistrationParts,
): Promise<SignInClient> {
  const { id, revision } = connection;
  const given = await givenClient(connection, parts.secrets);
  if (given) return given;
  const { issuer } = place.metadata;
  const { client: known } = await readGrant(parts.secrets, id, undefined);
  // A client is one of the server that it was registered with, and comes back to where it said.
  if (known?.issuer === issuer && known.redirect_uri === redirectUrl) return known;
  const client = await registered(connection, place, redirectUrl, parts);
  if (!(await changeGrant(parts.secrets, id, undefined, { client }, { revision })))
    throw vpError('CONNECTION_SIGN_IN_OVER', {});
  return client;
}

/** The client of the owner's words. */
async function givenClient(
  { id, credential }: Connection,
  secrets: ConnectionSecrets,
): Promise<SignInClient | undefined> {
  if (credential.kind !== 'oauth' || credential.clientId === undefined) return undefined;
  const secret = await secrets.clientSecret(id);
  return { client_id: credential.clientId, ...(secret === undefined ? {} : { client_secret: secret }) };
}

async function registered(
  { name }: Connection,
  { metadata, scope }: SignInPlace,
  redirectUrl: string,
  { fetch }: RegistrationParts,
): Promise<KeptClient> {
  const unavailable = (problem: string) => vpError('CONNECTION_SIGN_IN_UNAVAILABLE', { connection: name, problem });
  const { issuer } = metadata;
  if (metadata.registration_endpoint === undefined) {
    const isRead = metadata.client_id_metadata_document_supported === true && redirectUrl.startsWith('https:');
    if (!isRead) throw unavailable('its server does not let us register ourselves');
    const client_id = clientDocumentUrl(redirectUrl);
    return { client_id, token_endpoint_auth_method: 'none', redirect_uri: redirectUrl, issuer };
  }
  try {
    const { client_id, client_secret, token_endpoint_auth_method } = await registerClient(metadata.issuer, {
      metadata,
      clientMetadata: {
        ...clientDescription(redirectUrl),
        token_endpoint_auth_method: methodFor(metadata),
      },
      fetchFn: fetch,
      ...(scope === undefined ? {} : { scope }),
    });
    return {
      client_id,
      ...(client_secret === undefined ? {} : { client_secret }),
      ...(token_endpoint_auth_method === undefined ? {} : { token_endpoint_auth_method }),
      redirect_uri: redirectUrl,
      issuer,
    };
  } catch (error) {
    if (error instanceof VpError) throw error;
    throw unavailable('its server did not register us');
  }
}

/** No secret where that is allowed: PKCE protects the code. */
function methodFor({ token_endpoint_auth_methods_supported: known }: AuthorizationServerMetadata): string {
  const wanted = ['none', 'client_secret_basic', 'client_secret_post'];
  return (known && wanted.find((method) => known.includes(method))) ?? 'none';
}
