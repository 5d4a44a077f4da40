/** What is kept, sealed, of signing in to an upstream: for the hub as a whole, and for each person where sign-ins are theirs. */
import { type Static, Type } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import type { Connection, ConnectionSecrets } from '../words.ts';

const optionalText = Type.Optional(Type.String());

const clientWords = {
  client_id: Type.String(),
  client_secret: optionalText,
  token_endpoint_auth_method: optionalText,
};

/** A client as tokens are asked for with it. */
const SignInClient = Type.Object(clientWords);
/** See {@link SignInClient}. */
export type SignInClient = Static<typeof SignInClient>;

/** The hub as an OAuth client of one authorization server. */
const KeptClient = Type.Object({
  ...clientWords,
  /** It was registered with this address to come back to. */
  redirect_uri: Type.String(),
  /** And with this server. */
  issuer: Type.String(),
});
/** See {@link KeptClient}. */
export type KeptClient = Static<typeof KeptClient>;

/** Tokens, with all that renewing them takes: nothing is asked of the upstream for it. */
const KeptTokens = Type.Object({
  /** The sign-in that they are of, however often they were renewed. */
  sign_in: Type.String(),
  /** They are for this server and go to no other. */
  origin: Type.String(),
  /** They are this client's: the hub may have become another one since. */
  client: SignInClient,
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
  /** Where its server takes tokens back; null where it does not; undefined where nobody asked it yet. */
  revocation_endpoint: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  revocation_auth_methods: Type.Optional(Type.Array(Type.String())),
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

/** Where a change holds: at this revision of the connection, while what is kept is as expected. */
export type ChangeGuard = {
  readonly revision?: number | undefined;
  readonly expected?: (kept: KeptGrant) => boolean;
};

/** Others may write between reading and keeping, but not each time. */
const mostTries = 20;

/** Keeps a change of it; a member that is undefined is forgotten. False, and nothing is changed, where its guard forbids it. */
export async function changeGrant(
  secrets: Secrets,
  connectionId: string,
  holder: string | undefined,
  change: { readonly [N in keyof KeptGrant]?: KeptGrant[N] | undefined },
  { revision, expected }: ChangeGuard = {},
): Promise<boolean> {
  let before: { readonly was: string | undefined } | undefined;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const was = await secrets.oauthState(connectionId, holder);
    // It was not for another writer that it could not be kept.
    if (before && before.was === was) return false;
    const grant = grantIn(was);
    if (expected && !expected(grant)) return false;
    if (await secrets.keepOauthState(connectionId, holder, textOf({ ...grant, ...change }), { was, revision }))
      return true;
    before = { was };
  }
  return false;
}

function textOf(grant: object): string | undefined {
  const kept = Object.fromEntries(Object.entries(grant).filter(([, value]) => value !== undefined));
  return Object.keys(kept).length > 0 ? JSON.stringify(kept) : undefined;
}
