/**
 * People and how they sign in, under /api/v1. A browser's session is two halves: an HttpOnly cookie, and `proof`, which the
 * page keeps in its own storage and sends as `X-VP-Proof` (cookies do not know ports; another application on this host
 * gets the cookie, never the proof). Secrets of links stand in the fragment of a URL and arrive in bodies only.
 */
import { type Static, Type } from '@sinclair/typebox';
import { AskedLeave, AskingClient, GrantHub, GrantService } from './consent-api.ts';
import { Moment, nullable } from './words.ts';

/** owner: everything; member: own instances, scenarios, runs; viewer: reads. */
export const roles = ['owner', 'member', 'viewer'] as const;
/** One of {@link roles}. */
export type Role = (typeof roles)[number];
/** Schema of {@link Role}. */
export const RoleSchema = Type.Union(roles.map((role) => Type.Literal(role)));

/** As typed; compared in lower case. */
export const Email = Type.String({ minLength: 3, maxLength: 200, pattern: '^[^\\s@]+@[^\\s@]+$' });
/** At least 12 characters; the server also refuses common ones (PASSWORD_WEAK). */
export const Password = Type.String({ minLength: 1, maxLength: 1024 });
/** Shown to others. */
export const PersonName = Type.String({ minLength: 1, maxLength: 100 });
const Secret = Type.String({ minLength: 20, maxLength: 200 });

/** Somebody with an account. */
export const Person = Type.Object({
  person_id: Type.String(),
  name: PersonName,
  email: Email,
  role: RoleSchema,
  /** False where only an outside provider lets the person in. */
  has_password: Type.Boolean(),
  created_at: Moment,
  last_seen_at: nullable(Moment),
});
/** See {@link Person}. */
export type Person = Static<typeof Person>;

/** GET /setup: whether the first owner is still to be made. Open. */
export const SetupState = Type.Object({ needed: Type.Boolean() });
/** POST /setup: makes the first owner and signs in. Open; the secret is the link's. */
export const SetupNew = Type.Object({ secret: Secret, name: PersonName, email: Email, password: Password });

/** POST /session: sign in. Open. */
export const SessionNew = Type.Object({ email: Email, password: Password });
/** Answer to every way of signing in, with the cookie; `proof` is told this once. */
export const SignedIn = Type.Object({ person: Person, proof: Type.String() });
/** See {@link SignedIn}. */
export type SignedIn = Static<typeof SignedIn>;
/** GET /session: who am I, and how the caller is known. DELETE /session signs out (204). */
export const Whoami = Type.Object({
  person: nullable(Person),
  /** `owner_key` until the first owner exists. */
  via: Type.Union([Type.Literal('session'), Type.Literal('api_key'), Type.Literal('grant'), Type.Literal('owner_key')]),
  role: RoleSchema,
  /** Of the control plane. */
  version: Type.String(),
});
/** See {@link Whoami}. */
export type Whoami = Static<typeof Whoami>;
/** GET /sign-in-options. Open: what the sign-in page offers; `name` is what people call the provider. */
export const SignInOptions = Type.Object({
  setup_needed: Type.Boolean(),
  single_sign_on: nullable(Type.Object({ name: Type.String() })),
});

/**
 * GET /single-sign-on?back=<path>. Open: sends the browser to the provider, which sends it to the page /single-sign-on. That
 * page posts the query it got to POST /single-sign-on (open), and goes to `back` when somebody is signed in.
 */
export const SingleSignOnAnswer = Type.Object({ query: Type.String({ pattern: '^\\?[^#]*$', maxLength: 8000 }) });
/** Either somebody is signed in, or there is an account with this email whose password connects the two. */
export const SingleSignOnResult = Type.Object({
  signed_in: nullable(SignedIn),
  password_needed_for: nullable(Email),
  back: Type.String(),
});
/** See {@link SingleSignOnResult}. */
export type SingleSignOnResult = Static<typeof SingleSignOnResult>;
/** POST /single-sign-on/password. Open: connects the provider's account with the one here, and signs in. */
export const SingleSignOnPassword = Type.Object({ password: Password });

/** GET /sessions: sessions of the signed-in person, `current` the one asking. DELETE /sessions/{session} ends one. */
export const Session = Type.Object({
  session_id: Type.String(),
  created_at: Moment,
  last_seen_at: Moment,
  address: Type.String(),
  client: Type.String(),
  current: Type.Boolean(),
});
/** See {@link Session}. */
export type Session = Static<typeof Session>;

/** POST /invitations (owners): a link that makes one account. */
export const InvitationNew = Type.Object({ role: RoleSchema, email: Type.Optional(Email) });
/** GET /invitations (owners): those that wait. DELETE /invitations/{invitation} takes one back. */
export const Invitation = Type.Object({
  invitation_id: Type.String(),
  role: RoleSchema,
  email: nullable(Email),
  created_at: Moment,
  expires_at: Moment,
  created_by: Type.String(),
});
/** See {@link Invitation}. */
export type Invitation = Static<typeof Invitation>;
/** The link is shown this once. */
export const InvitationCreated = Type.Object({ invitation: Invitation, url: Type.String() });
/** See {@link InvitationCreated}. */
export type InvitationCreated = Static<typeof InvitationCreated>;
/** POST /invitations/look-up. Open: what a link's secret stands for, so that the page can say it. */
export const InvitationSecret = Type.Object({ secret: Secret });
/** Answer to {@link InvitationSecret}. */
export const InvitationOffer = Type.Object({ role: RoleSchema, email: nullable(Email), invited_by: Type.String() });
/** POST /invitations/accept. Open: makes the account and signs in. */
export const InvitationAccept = Type.Object({ secret: Secret, name: PersonName, email: Email, password: Password });

/** GET /people (everybody signed in). PUT /people/{person} (owners): another role; DELETE removes. OWNER_LAST for the last owner. */
export const PersonChange = Type.Object({ role: RoleSchema });
/** PUT /session/password (204): all other sessions end, and what was granted to programs. */
export const PasswordChange = Type.Object({ current: Password, next: Password });

/** POST /password-reset/look-up. Open: whose password the secret of a link of `vp reset-password` sets. */
export const PasswordResetSecret = Type.Object({ secret: Secret });
/** Answer to {@link PasswordResetSecret}. */
export const PasswordResetOffer = Type.Object({ name: PersonName, email: Email });
/** POST /password-reset. Open: the person's sessions and grants end, then this browser is signed in. */
export const PasswordReset = Type.Object({ secret: Secret, password: Password });

/** GET /grants: programs that the signed-in person let act for them. DELETE /grants/{grant} ends one with its tokens. */
export const Grant = Type.Object({
  grant_id: Type.String(),
  client_name: Type.String(),
  /** `redirect_host` is null. */
  client: AskingClient,
  service: GrantService,
  hub: nullable(GrantHub),
  /** False for a hub that the person has left: the grant opens nothing. */
  member: Type.Boolean(),
  may: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  created_at: Moment,
  expires_at: nullable(Moment),
  last_used_at: nullable(Moment),
  /** Where it was used from last. */
  last_address: nullable(Type.String()),
});
/** See {@link Grant}. */
export type Grant = Static<typeof Grant>;

/** GET /api-keys: keys of the signed-in person for CI; `role` at most the person's. DELETE /api-keys/{key} ends one. */
export const ApiKey = Type.Object({
  key_id: Type.String(),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  role: RoleSchema,
  created_at: Moment,
  expires_at: nullable(Moment),
  last_used_at: nullable(Moment),
});
/** See {@link ApiKey}. */
export type ApiKey = Static<typeof ApiKey>;
/** POST /api-keys; no days means no end. */
export const ApiKeyNew = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  role: RoleSchema,
  expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
});
/** The key is shown this once. */
export const ApiKeyCreated = Type.Object({ api_key: ApiKey, key: Type.String() });
/** See {@link ApiKeyCreated}. */
export type ApiKeyCreated = Static<typeof ApiKeyCreated>;

/**
 * GET /interactions/{uid}. Open, for the browser that the program sent: what the page /interaction/<uid> shows. First
 * `sign_in`, answered with `allow: true` once somebody is signed in; it leads back to another uid, which is `consent`.
 */
export const Interaction = Type.Object({
  kind: Type.Union([Type.Literal('sign_in'), Type.Literal('consent')]),
  client_name: Type.String(),
  /** Host the browser will be sent to afterwards. */
  redirect_host: Type.String(),
  scopes: Type.Array(Type.String()),
  ...AskedLeave,
});
/** See {@link Interaction}. */
export type Interaction = Static<typeof Interaction>;
/**
 * POST /interactions/{uid} by the person who is signed in; the page goes to `redirect_to` then. HUB_MEMBERSHIP_NEEDED for leave to a
 * hub that they do not belong to; refusing is always possible.
 */
export const InteractionDecision = Type.Object({ allow: Type.Boolean() });
/** Answer to {@link InteractionDecision}. */
export const InteractionResult = Type.Object({ redirect_to: Type.String() });

/** POST /device/look-up: what a typed code stands for. */
export const DeviceCode = Type.Object({ user_code: Type.String({ minLength: 4, maxLength: 20 }) });
/** Who asks for it: shown so that a person can see whether it is their own request. */
export const DeviceRequest = Type.Object({
  client_name: Type.String(),
  address: Type.String(),
  requested_at: Moment,
  scopes: Type.Array(Type.String()),
  ...AskedLeave,
});
/** See {@link DeviceRequest}. */
export type DeviceRequest = Static<typeof DeviceRequest>;
/** POST /device (204): answers the request, once. */
export const DeviceDecision = Type.Object({
  user_code: Type.String({ minLength: 4, maxLength: 20 }),
  allow: Type.Boolean(),
});
