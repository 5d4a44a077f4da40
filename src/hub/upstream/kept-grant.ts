/** What is kept, sealed, of signing in to an upstream: for the hub as a whole, and for each person where sign-ins are theirs. */
import { type Static, Type } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import type { Connection, ConnectionSecrets } from '../words.ts';

const optionalText = Type.Optional(Type.String());

/** The hub as an OAuth client of one authorization server. */
const KeptClient = Type.Object({
  client_id: Type.String(),
  client_secret: optionalText,
  token_endpoint_auth_method: optionalText,
  /** It was registered with this address to come back to. */
  redirect_uri: Type.String(),
  /** And with this server. */
  issuer: Type.String(),
});
/** See {@link KeptClient}. */
export type KeptClient = Static<typeof KeptClient>;

/** Tokens, with all that renewing them takes: nothing is asked of the upstream for it. */
const KeptTokens = Type.Object({
  access_token: Type.String(),
  refresh_token: optionalText,
  scope: optionalText,
  /** When the access token ends; undefined where the server does not say. */
  expires_at_ms: Type.Optional(Type.Number()),
  /** From when on it is renewed before it is sent. */
  renew_at_ms: Type.Optional(Type.Number()),
  issuer: Type.String(),
  token_endpoint: Type.String(),
  auth_methods: Type.Optional(Type.Array(Type.String())),
  resource: optionalText,
});
/** See {@link KeptTokens}. */
export type KeptTokens = Static<typeof KeptTokens>;

const KeptGrant = Type.Object({
  /** The authorization server that was met first: another one is not believed. With the hub's part only. */
  issuer: optionalText,
  client: Type.Optional(KeptClient),
  tokens: Type.Optional(KeptTokens),
});
/** See {@link KeptGrant}. */
export type KeptGrant = Static<typeof KeptGrant>;

let check: TypeCheck<typeof KeptGrant> | undefined;

/** What a kept text says; text of another shape is as good as none. */
export function grantIn(text: string | undefined): KeptGrant {
  if (text === undefined) return {};
  check ??= TypeCompiler.Compile(KeptGrant);
  try {
    const value: unknown = JSON.parse(text);
    return check.Check(value) ? value : {};
  } catch {
    return {};
  }
}

/** Whose sign-in serves the calls of a person; undefined for the one of the whole hub. */
export function holderOf({ credential }: Pick<Connection, 'credential'>, personId: string): string | undefined {
  return credential.kind === 'oauth' && credential.sharing === 'per_user' ? personId : undefined;
}

/** True while calls can be made with them, or with what they are renewed to. */
export function isSignedIn({ tokens }: KeptGrant, nowMs: number): boolean {
  if (!tokens) return false;
  return tokens.refresh_token !== undefined || tokens.expires_at_ms === undefined || tokens.expires_at_ms > nowMs;
}

type Secrets = Pick<ConnectionSecrets, 'oauthState' | 'keepOauthState'>;

/** Reads what is kept. */
export async function readGrant(secrets: Secrets, connectionId: string, holder: string | undefined) {
  return grantIn(await secrets.oauthState(connectionId, holder));
}

/** Keeps a change of it; a member that is undefined is forgotten. */
export async function changeGrant(
  secrets: Secrets,
  connectionId: string,
  holder: string | undefined,
  change: { readonly [N in keyof KeptGrant]?: KeptGrant[N] | undefined },
): Promise<void> {
  const merged = { ...(await readGrant(secrets, connectionId, holder)), ...change };
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
  const text = Object.keys(kept).length > 0 ? JSON.stringify(kept) : undefined;
  await secrets.keepOauthState(connectionId, holder, text);
}
