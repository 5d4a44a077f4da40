/**
 * People and how they sign in, under /api/v1. A browser session has two parts: an HttpOnly cookie, and `proof`, which the
 * page stores and sends as `X-VP-Proof` (cookies are not bound to a port: another application on this host receives the
 * cookie, but never the proof). Secrets of links are in the fragment of a URL and are sent in bodies only.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ConsentRequest, GrantHub, GrantService, OAuthClientView } from './consent-api.ts';
import { nullable, Timestamp } from './schemas.ts';

/** owner: everything; member: own instances, scenarios, runs; viewer: read only. */
export const roles = ['owner', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];
const RoleSchema = Type.Union(roles.map((role) => Type.Literal(role)));

/** As typed; compared in lower case. */
const Email = Type.String({ minLength: 3, maxLength: 200, pattern: '^[^\\s@]+@[^\\s@]+$' });
/** At least 12 characters; the server also refuses common ones (PASSWORD_WEAK). */
const Password = Type.String({ minLength: 1, maxLength: 1024 });
/** Display name. */
const PersonName = Type.String({ minLength: 1, maxLength: 100 });
const Secret = Type.String({ minLength: 20, maxLength: 200 });

export const Person = Type.Object({
  person_id: Type.String(),
  name: PersonName,
  email: Email,
  role: RoleSchema,
  /** False when the person signs in with an external provider only. */
  has_password: Type.Boolean(),
  created_at: Timestamp,
  last_seen_at: nullable(Timestamp),
});
export type Person = Static<typeof Person>;

/** GET /setup: whether the first owner does not exist yet. Open. */
export const SetupState = Type.Object({ needed: Type.Boolean() });
/** POST /setup: creates the first owner and signs in. Open; the secret is that of the setup link. */
/** POST /setup/look-up: whether the secret of a setup link can still be used. */
export const SetupLookUpRequest = Type.Object({ secret: Secret });
export const SetupLookUpResponse = Type.Object({ valid: Type.Boolean() });

export const SetupRequest = Type.Object({ secret: Secret, name: PersonName, email: Email, password: Password });

/** POST /session: sign in. Open. */
export const SignInRequest = Type.Object({ email: Email, password: Password });
/** Response of every way of signing in, with the cookie; `proof` is returned only here. */
export const SignInResponse = Type.Object({ person: Person, proof: Type.String() });
export type SignInResponse = Static<typeof SignInResponse>;
/** GET /session: who the caller is, and by which credential. DELETE /session signs out (204). */
export const Whoami = Type.Object({
  person: nullable(Person),
  /** `owner_key` until the first owner exists. */
  via: Type.Union([Type.Literal('session'), Type.Literal('api_key'), Type.Literal('grant'), Type.Literal('owner_key')]),
  role: RoleSchema,
  /** Version of the control plane. */
  version: Type.String(),
});
export type Whoami = Static<typeof Whoami>;
/** GET /sign-in-options. Open: what the sign-in page offers; `name` is the display name of the provider. */
export const SignInOptions = Type.Object({
  setup_needed: Type.Boolean(),
  single_sign_on: nullable(Type.Object({ name: Type.String() })),
});

/**
 * GET /single-sign-on?back=<path>. Open: redirects the browser to the provider, which redirects it to the page
 * /single-sign-on. That page posts its query to POST /single-sign-on (open), and goes to `back` after the sign-in.
 */
export const SingleSignOnCallback = Type.Object({ query: Type.String({ pattern: '^\\?[^#]*$', maxLength: 8000 }) });
/** Either the person is signed in, or an account with this email exists, whose password connects it with the provider's. */
export const SingleSignOnResult = Type.Object({
  signed_in: nullable(SignInResponse),
  password_needed_for: nullable(Email),
  back: Type.String(),
});
export type SingleSignOnResult = Static<typeof SingleSignOnResult>;
/** POST /single-sign-on/password. Open: connects the provider's account with the local one, and signs in. */
export const SingleSignOnPasswordRequest = Type.Object({ password: Password });

/** GET /sessions: sessions of the signed-in person; `current` is the caller's. DELETE /sessions/{session} revokes one. */
export const Session = Type.Object({
  session_id: Type.String(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  address: Type.String(),
  client: Type.String(),
  current: Type.Boolean(),
});
export type Session = Static<typeof Session>;

/** POST /invitations (owners): a link that creates one account. */
export const CreateInvitationRequest = Type.Object({ role: RoleSchema, email: Type.Optional(Email) });
/** GET /invitations (owners): pending invitations. DELETE /invitations/{invitation} revokes one. */
export const Invitation = Type.Object({
  invitation_id: Type.String(),
  role: RoleSchema,
  email: nullable(Email),
  created_at: Timestamp,
  expires_at: Timestamp,
  created_by: Type.String(),
});
export type Invitation = Static<typeof Invitation>;
/** The link is returned only here. */
export const CreateInvitationResponse = Type.Object({ invitation: Invitation, url: Type.String() });
export type CreateInvitationResponse = Static<typeof CreateInvitationResponse>;
/** POST /invitations/look-up. Open: the invitation of a link's secret, for the page. */
export const InvitationLookupRequest = Type.Object({ secret: Secret });
export const InvitationDetails = Type.Object({ role: RoleSchema, email: nullable(Email), invited_by: Type.String() });
/** POST /invitations/accept. Open: creates the account and signs in. */
export const AcceptInvitationRequest = Type.Object({
  secret: Secret,
  name: PersonName,
  email: Email,
  password: Password,
});

/** GET /people (every signed-in person). PUT /people/{person} (owners) changes the role; DELETE removes. OWNER_LAST for the last owner. */
export const ChangeRoleRequest = Type.Object({ role: RoleSchema });
/** PUT /session/password (204): revokes all other sessions and all grants to OAuth clients. */
export const ChangePasswordRequest = Type.Object({ current: Password, next: Password });

/** POST /password-reset/look-up. Open: whose password a link of `vp reset-password` sets. */
export const PasswordResetLookupRequest = Type.Object({ secret: Secret });
export const PasswordResetDetails = Type.Object({ name: PersonName, email: Email });
/** POST /password-reset. Open: revokes the person's sessions and grants, then signs this browser in. */
export const ResetPasswordRequest = Type.Object({ secret: Secret, password: Password });

/** GET /grants: OAuth clients that the signed-in person allowed to act for them. DELETE /grants/{grant} revokes one with its tokens. */
export const Grant = Type.Object({
  grant_id: Type.String(),
  client_name: Type.String(),
  /** `redirect_host` is null. */
  client: OAuthClientView,
  service: GrantService,
  hub: nullable(GrantHub),
  /** False for a hub that the person has left: the grant is refused. */
  member: Type.Boolean(),
  may: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  last_used_at: nullable(Timestamp),
  /** Address that last used it. */
  last_address: nullable(Type.String()),
});
export type Grant = Static<typeof Grant>;

/** GET /api-keys: keys of the signed-in person for CI; `role` is at most the person's. DELETE /api-keys/{key} revokes one. */
export const ApiKey = Type.Object({
  key_id: Type.String(),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  role: RoleSchema,
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  last_used_at: nullable(Timestamp),
});
export type ApiKey = Static<typeof ApiKey>;
/** POST /api-keys; without days the key does not expire. */
export const CreateApiKeyRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  role: RoleSchema,
  expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
});
/** The key is returned only here. */
export const CreateApiKeyResponse = Type.Object({ api_key: ApiKey, key: Type.String() });
export type CreateApiKeyResponse = Static<typeof CreateApiKeyResponse>;

/**
 * GET /interactions/{uid}. Open, for the browser that the client redirected: the content of the page /interaction/<uid>.
 * First `sign_in`, decided with `allow: true` once a person is signed in; it redirects to another uid, which is `consent`.
 */
export const Interaction = Type.Object({
  kind: Type.Union([Type.Literal('sign_in'), Type.Literal('consent')]),
  client_name: Type.String(),
  /** Host that the browser is redirected to afterwards. */
  redirect_host: Type.String(),
  scopes: Type.Array(Type.String()),
  ...ConsentRequest,
});
export type Interaction = Static<typeof Interaction>;
/**
 * POST /interactions/{uid} by the signed-in person; the page then goes to `redirect_to`. HUB_MEMBERSHIP_NEEDED for consent to
 * a hub that they are not a member of; refusing is always possible.
 */
export const InteractionDecision = Type.Object({ allow: Type.Boolean() });
export const InteractionDecisionResponse = Type.Object({ redirect_to: Type.String() });

/** POST /device/look-up: the request of a typed code. */
export const DeviceLookupRequest = Type.Object({ user_code: Type.String({ minLength: 4, maxLength: 20 }) });
/** Who waits with the code: displayed so that people can recognise their own request. */
export const DeviceRequest = Type.Object({
  client_name: Type.String(),
  address: Type.String(),
  requested_at: Timestamp,
  scopes: Type.Array(Type.String()),
  ...ConsentRequest,
});
export type DeviceRequest = Static<typeof DeviceRequest>;
/** POST /device (204): allows or refuses the request, once. */
export const DeviceDecision = Type.Object({
  user_code: Type.String({ minLength: 4, maxLength: 20 }),
  allow: Type.Boolean(),
});
