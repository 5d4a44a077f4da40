/** What the official client keeps between its steps, in memory. Nothing of Node is in it: pages have it too. */
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** A store, and the provider that the client's library wants of a program. `asked`: where a person was to be sent. */
export type ClientStore = {
  readonly kept: {
    client?: StoredOAuthClientInformation;
    tokens?: StoredOAuthTokens;
    verifier: string;
    readonly asked: URL[];
    discovery?: OAuthDiscoveryState;
  };
  readonly provider: OAuthClientProvider;
};

type About = { readonly name?: string; readonly redirectUrl?: string; readonly scope?: string };

/** An empty one. */
export function clientStore({
  name = 'Official',
  redirectUrl = 'http://127.0.0.1:45678/callback',
  scope,
}: About = {}): ClientStore {
  const kept: ClientStore['kept'] = { verifier: '', asked: [] };
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
    clientInformation: () => kept.client,
    saveClientInformation(client) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url) {
      kept.asked.push(url);
    },
    saveCodeVerifier(verifier) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState(state) {
      kept.discovery = state;
    },
    discoveryState: () => kept.discovery,
  };
  return { kept, provider };
}
