/**
 * The hub as an OAuth client of an upstream's authorization server: configured by the owner, registered dynamically
 * (RFC 7591), or by a client ID metadata document if the hub has a public address.
 */
import { type AuthorizationServerMetadata, registerClient } from '@modelcontextprotocol/client';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { ConnectionSecrets, UpstreamConnection } from '../connections/connection.ts';
import { buildClientMetadata, getClientMetadataUrl } from './client-metadata.ts';
import type { DiscoveryDependencies, SignInEndpoints } from './discovery.ts';
import { readGrant, type SignInClient, type StoredClient, updateStoredGrant } from './stored-grant.ts';

export type RegistrationDependencies = DiscoveryDependencies & { readonly secrets: ConnectionSecrets };

/** Returns the client for this redirect URL. Throws CONNECTION_SIGN_IN_UNAVAILABLE, CONNECTION_SIGN_IN_OVER. */
export async function getSignInClient(
  connection: UpstreamConnection,
  authorizationServer: SignInEndpoints,
  redirectUrl: string,
  dependencies: RegistrationDependencies,
): Promise<SignInClient> {
  const { id, revision } = connection;
  const configured = await getConfiguredClient(connection, dependencies.secrets);
  if (configured) return configured;
  const { issuer } = authorizationServer.metadata;
  const { client: storedClient } = await readGrant(dependencies.secrets, id, undefined);
  // A client is valid for the server that registered it and for its redirect URL.
  if (storedClient?.issuer === issuer && storedClient.redirect_uri === redirectUrl) return storedClient;
  const client = await registerHub(connection, authorizationServer, redirectUrl, dependencies);
  if (!(await updateStoredGrant(dependencies.secrets, id, undefined, { client }, { revision })))
    throw vpError('CONNECTION_SIGN_IN_OVER', {});
  return client;
}

/** The client that the owner configured. */
async function getConfiguredClient(
  { id, credential }: UpstreamConnection,
  secrets: ConnectionSecrets,
): Promise<SignInClient | undefined> {
  if (credential.kind !== 'oauth' || credential.clientId === undefined) return undefined;
  const secret = await secrets.clientSecret(id);
  return { client_id: credential.clientId, ...(secret === undefined ? {} : { client_secret: secret }) };
}

async function registerHub(
  { name }: UpstreamConnection,
  { metadata, scope }: SignInEndpoints,
  redirectUrl: string,
  { fetch }: RegistrationDependencies,
): Promise<StoredClient> {
  const unavailableError = (problem: string) =>
    vpError('CONNECTION_SIGN_IN_UNAVAILABLE', { connection: name, problem });
  const { issuer } = metadata;
  if (metadata.registration_endpoint === undefined) {
    const acceptsMetadataDocument =
      metadata.client_id_metadata_document_supported === true && redirectUrl.startsWith('https:');
    if (!acceptsMetadataDocument)
      throw unavailableError('its authorization server does not support client registration');
    const client_id = getClientMetadataUrl(redirectUrl);
    return { client_id, token_endpoint_auth_method: 'none', redirect_uri: redirectUrl, issuer };
  }
  try {
    const { client_id, client_secret, token_endpoint_auth_method } = await registerClient(metadata.issuer, {
      metadata,
      clientMetadata: {
        ...buildClientMetadata(redirectUrl),
        token_endpoint_auth_method: chooseAuthMethod(metadata),
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
    throw unavailableError('its authorization server rejected the registration of the hub');
  }
}

/** Prefers no secret: PKCE protects the code. */
function chooseAuthMethod({
  token_endpoint_auth_methods_supported: storedClient,
}: AuthorizationServerMetadata): string {
  const preferred = ['none', 'client_secret_basic', 'client_secret_post'];
  return (storedClient && preferred.find((method) => storedClient.includes(method))) ?? 'none';
}
