/** In-memory state of the official client. Does not use Node.js, so that pages can use it too. */
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** `provider` is what the client library requires; `authorizationUrls` are the URLs it sent the person to. */
export type ClientStore = {
  readonly state: {
    client?: StoredOAuthClientInformation;
    tokens?: StoredOAuthTokens;
    verifier: string;
    readonly authorizationUrls: URL[];
    discovery?: OAuthDiscoveryState;
  };
  readonly provider: OAuthClientProvider;
};

type ClientStoreOptions = { readonly name?: string; readonly redirectUrl?: string; readonly scope?: string };

export function createClientStore({
  name = 'Official',
  redirectUrl = 'http://127.0.0.1:45678/callback',
  scope,
}: ClientStoreOptions = {}): ClientStore {
  const state: ClientStore['state'] = { verifier: '', authorizationUrls: [] };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope === undefined ? {} : { scope }),
    },
    clientInformation: () => state.client,
    saveClientInformation(client) {
      state.client = client;
    },
    tokens: () => state.tokens,
    saveTokens(tokens) {
      state.tokens = tokens;
    },
    redirectToAuthorization(url) {
      state.authorizationUrls.push(url);
    },
    saveCodeVerifier(verifier) {
      state.verifier = verifier;
    },
    codeVerifier: () => state.verifier,
    saveDiscoveryState(discovery) {
      state.discovery = discovery;
    },
    discoveryState: () => state.discovery,
  };
  return { state, provider };
}
