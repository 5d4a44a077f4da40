/** The sealed state of a sign-in to an upstream: one per hub, and one per person where sign-ins are personal. */
import { type Static, Type } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import type { ConnectionSecrets, UpstreamConnection } from '../connections/connection.ts';

const optionalText = Type.Optional(Type.String());

const clientProperties = {
  client_id: Type.String(),
  client_secret: optionalText,
  token_endpoint_auth_method: optionalText,
};

const SignInClient = Type.Object(clientProperties);
export type SignInClient = Static<typeof SignInClient>;

/** The hub as an OAuth client of one authorization server. */
const StoredClient = Type.Object({
  ...clientProperties,
  /** The redirect URL it was registered with. */
  redirect_uri: Type.String(),
  /** The server that registered it. */
  issuer: Type.String(),
});
export type StoredClient = Static<typeof StoredClient>;

/** Tokens with everything that refreshing needs, so that nothing has to be discovered again. */
const StoredTokens = Type.Object({
  /** Identifies the sign-in, however often its tokens are refreshed. */
  sign_in: Type.String(),
  /** The only origin that the tokens are sent to. */
  origin: Type.String(),
  /** The client of these tokens; the hub may have registered another one since. */
  client: SignInClient,
  access_token: Type.String(),
  refresh_token: optionalText,
  scope: optionalText,
  /** Undefined if the server does not say. */
  expires_at_ms: Type.Optional(Type.Number()),
  /** When the token is refreshed before use. */
  renew_at_ms: Type.Optional(Type.Number()),
  issuer: Type.String(),
  token_endpoint: Type.String(),
  auth_methods: Type.Optional(Type.Array(Type.String())),
  /** Null if the server has none; undefined if it was never discovered. */
  revocation_endpoint: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  revocation_auth_methods: Type.Optional(Type.Array(Type.String())),
  resource: optionalText,
});
export type StoredTokens = Static<typeof StoredTokens>;

const StoredGrant = Type.Object({
  /** The first authorization server that was used; others are rejected. Only in the hub's own state. */
  issuer: optionalText,
  client: Type.Optional(StoredClient),
  tokens: Type.Optional(StoredTokens),
});
export type StoredGrant = Static<typeof StoredGrant>;

let check: TypeCheck<typeof StoredGrant> | undefined;

/** Returns an empty grant for invalid text. */
export function parseStoredGrant(text: string | undefined): StoredGrant {
  if (text === undefined) return {};
  check ??= TypeCompiler.Compile(StoredGrant);
  try {
    const value: unknown = JSON.parse(text);
    return check.Check(value) ? value : {};
  } catch {
    return {};
  }
}

/** Whose sign-in serves a person's calls; undefined for the hub's. */
export function getGrantHolder(
  { credential }: Pick<UpstreamConnection, 'credential'>,
  personId: string,
): string | undefined {
  return credential.kind === 'oauth' && credential.sharing === 'per_user' ? personId : undefined;
}

/** True while calls can use the tokens or refresh them. */
export function isSignedIn({ tokens }: StoredGrant, nowMs: number): boolean {
  if (!tokens) return false;
  return tokens.refresh_token !== undefined || tokens.expires_at_ms === undefined || tokens.expires_at_ms > nowMs;
}

type Secrets = Pick<ConnectionSecrets, 'oauthState' | 'saveOauthState'>;

export async function readGrant(secrets: Secrets, connectionId: string, holder: string | undefined) {
  return parseStoredGrant(await secrets.oauthState(connectionId, holder));
}

/** A change applies only at this revision of the connection and while the stored grant is as expected. */
export type GrantUpdateGuard = {
  readonly revision?: number | undefined;
  readonly expected?: (grant: StoredGrant) => boolean;
};

/** Others may write between a read and a write, but not every time. */
const maxAttempts = 20;

/** Stores a change; undefined members are removed. Returns false without a change if the guard forbids it. */
export async function updateStoredGrant(
  secrets: Secrets,
  connectionId: string,
  holder: string | undefined,
  change: { readonly [N in keyof StoredGrant]?: StoredGrant[N] | undefined },
  { revision, expected }: GrantUpdateGuard = {},
): Promise<boolean> {
  let previousAttempt: { readonly previous: string | undefined } | undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const previous = await secrets.oauthState(connectionId, holder);
    // The state is unchanged, so the write failed for another reason than a concurrent writer.
    if (previousAttempt && previousAttempt.previous === previous) return false;
    const grant = parseStoredGrant(previous);
    if (expected && !expected(grant)) return false;
    if (
      await secrets.saveOauthState(connectionId, holder, serializeGrant({ ...grant, ...change }), {
        previous,
        revision,
      })
    )
      return true;
    previousAttempt = { previous };
  }
  return false;
}

function serializeGrant(grant: object): string | undefined {
  const present = Object.fromEntries(Object.entries(grant).filter(([, value]) => value !== undefined));
  return Object.keys(present).length > 0 ? JSON.stringify(present) : undefined;
}
