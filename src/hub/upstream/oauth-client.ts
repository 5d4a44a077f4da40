/** The hub as an OAuth client towards an upstream: what the official client needs, kept sealed by the book of connections. */
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import type { Random } from '../../environment/random.ts';
import type { Connection, ConnectionSecrets } from '../words.ts';

/** Whose sign-in it is, and where it keeps what it learns. */
export type OauthClientParts = {
  readonly connection: Connection;
  /** Undefined where one sign-in serves the whole hub. */
  readonly personId: string | undefined;
  readonly secrets: ConnectionSecrets;
  readonly random: Random;
  /** Where browsers come back to. */
  readonly redirectUrl: string;
};

/** Unread text of ours: a member of another shape is as good as none. */
type Kept = {
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  verifier?: string;
  state?: string;
  discovery?: OAuthDiscoveryState;
};

function keptOf(text: string | undefined): Kept {
  if (text === undefined) return {};
  try {
    const value: Kept | null = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A client of the upstream's authorization server. It never opens a browser: it notes where one has to go. */
export class OauthClient implements OAuthClientProvider {
  /** Where a person has to go to sign in; undefined while there is no need. */
  signInUrl: URL | undefined;
  readonly redirectUrl: string;
  readonly #parts: OauthClientParts;
  #kept: Promise<Kept> | undefined;

  constructor(parts: OauthClientParts) {
    this.#parts = parts;
    this.redirectUrl = parts.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { credential } = this.#parts.connection;
    const scope = credential.kind === 'oauth' ? credential.scope : undefined;
    return {
      client_name: 'vp hub',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope === undefined ? {} : { scope }),
    };
  }

  async state(): Promise<string> {
    const state = this.#parts.random.token(24);
    await this.#keep({ state });
    return state;
  }

  /** True for the state that the sign-in under way began with. */
  async isOwnState(state: string): Promise<boolean> {
    const kept = await this.#read();
    return kept.state !== undefined && kept.state === state;
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { connection, secrets } = this.#parts;
    const { credential } = connection;
    if (credential.kind !== 'oauth' || credential.clientId === undefined) return (await this.#read()).client;
    const secret = await secrets.clientSecret(connection.id);
    return { client_id: credential.clientId, ...(secret === undefined ? {} : { client_secret: secret }) };
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    await this.#keep({ client });
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    return (await this.#read()).tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    this.signInUrl = undefined;
    await this.#keep({ tokens });
  }

  redirectToAuthorization(url: URL): void {
    // What a server names here a browser will open: nothing but a page of the web.
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error('the sign-in address is no web page');
    this.signInUrl = url;
  }

  async saveCodeVerifier(verifier: string): Promise<void> {
    await this.#keep({ verifier });
  }

  async codeVerifier(): Promise<string> {
    return (await this.#read()).verifier ?? '';
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.#keep({ discovery });
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    return (await this.#read()).discovery;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'all')
      await this.#keep({ client: undefined, tokens: undefined, verifier: undefined, discovery: undefined });
    else await this.#keep({ [scope]: undefined });
  }

  #read(): Promise<Kept> {
    const { connection, personId, secrets } = this.#parts;
    this.#kept ??= secrets.oauthState(connection.id, personId).then(keptOf);
    return this.#kept;
  }

  async #keep(change: { readonly [N in keyof Kept]?: Kept[N] | undefined }): Promise<void> {
    const merged = Object.fromEntries(
      Object.entries({ ...(await this.#read()), ...change }).filter(([, value]) => value !== undefined),
    );
    const text = JSON.stringify(merged);
    this.#kept = Promise.resolve(keptOf(text));
    const { connection, personId, secrets } = this.#parts;
    await secrets.keepOauthState(connection.id, personId, text);
  }
}
