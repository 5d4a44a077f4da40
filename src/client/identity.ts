import type { Static } from '@sinclair/typebox';
import type {
  AcceptInvitationRequest,
  ApiKey,
  ChangePasswordRequest,
  CreateApiKeyRequest,
  CreateApiKeyResponse,
  CreateInvitationRequest,
  CreateInvitationResponse,
  DeviceDecision,
  DeviceRequest,
  Grant,
  Interaction,
  InteractionDecision,
  InteractionDecisionResponse,
  Invitation,
  InvitationDetails,
  PasswordResetDetails,
  Person,
  ResetPasswordRequest,
  Role,
  Session,
  SetupLookUpResponse,
  SetupRequest,
  SetupState,
  SignInOptions,
  SignInRequest,
  SignInResponse,
  SingleSignOnResult,
  Whoami,
} from '../contract/identity-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

/** Signing in and out, and sessions. */
export type SessionsClient = {
  getSetupState(options?: CallOptions): Promise<Static<typeof SetupState>>;
  /** Whether the secret of a setup link can still be used. */
  lookUpSetup(secret: string, options?: CallOptions): Promise<boolean>;
  setUp(input: Static<typeof SetupRequest>): Promise<SignInResponse>;
  getSignInOptions(options?: CallOptions): Promise<Static<typeof SignInOptions>>;
  signIn(input: Static<typeof SignInRequest>): Promise<SignInResponse>;
  /** `query` is that of the provider's redirect. */
  finishSingleSignOn(query: string): Promise<SingleSignOnResult>;
  connectSingleSignOn(password: string): Promise<SingleSignOnResult>;
  whoami(options?: CallOptions): Promise<Whoami>;
  signOut(): Promise<void>;
  changePassword(input: Static<typeof ChangePasswordRequest>): Promise<void>;
  listSessions(options?: CallOptions): Promise<readonly Session[]>;
  revokeSession(id: string): Promise<void>;
  lookUpPasswordReset(secret: string, options?: CallOptions): Promise<Static<typeof PasswordResetDetails>>;
  resetPassword(input: Static<typeof ResetPasswordRequest>): Promise<SignInResponse>;
};

/** People, invitations and API keys. */
export type PeopleClient = {
  listPeople(options?: CallOptions): Promise<readonly Person[]>;
  changeRole(id: string, role: Role): Promise<Person>;
  removePerson(id: string): Promise<void>;
  listInvitations(options?: CallOptions): Promise<readonly Invitation[]>;
  /** The link is returned only here. */
  createInvitation(input: Static<typeof CreateInvitationRequest>): Promise<Static<typeof CreateInvitationResponse>>;
  revokeInvitation(id: string): Promise<void>;
  lookUpInvitation(secret: string, options?: CallOptions): Promise<Static<typeof InvitationDetails>>;
  acceptInvitation(input: Static<typeof AcceptInvitationRequest>): Promise<SignInResponse>;
  listApiKeys(options?: CallOptions): Promise<readonly ApiKey[]>;
  /** The key is returned only here. */
  createApiKey(input: Static<typeof CreateApiKeyRequest>): Promise<Static<typeof CreateApiKeyResponse>>;
  revokeApiKey(id: string): Promise<void>;
};

/** OAuth clients that ask a person for consent. */
export type ConsentClient = {
  getInteraction(uid: string, options?: CallOptions): Promise<Interaction>;
  decideInteraction(
    uid: string,
    input: Static<typeof InteractionDecision>,
  ): Promise<Static<typeof InteractionDecisionResponse>>;
  lookUpDevice(userCode: string): Promise<DeviceRequest>;
  decideDevice(input: Static<typeof DeviceDecision>): Promise<void>;
  listGrants(options?: CallOptions): Promise<readonly Grant[]>;
  revokeGrant(id: string): Promise<void>;
};

export type IdentityClient = SessionsClient & PeopleClient & ConsentClient;

const isSignedIn = createObjectGuard<SignInResponse>('person', 'proof');

function createSessionsClient({ json, noContent }: Transport): SessionsClient {
  const isSignInOptions = createObjectGuard<Static<typeof SignInOptions>>('setup_needed', 'single_sign_on');
  const isWhoami = createObjectGuard<Whoami>('person', 'via', 'role');
  const isSingleSignOnResult = createObjectGuard<SingleSignOnResult>('signed_in', 'password_needed_for', 'back');
  const isResetDetails = createObjectGuard<Static<typeof PasswordResetDetails>>('name', 'email');
  const isSetupLookedUp = createObjectGuard<Static<typeof SetupLookUpResponse>>('valid');
  const isSetupState = createObjectGuard<Static<typeof SetupState>>('needed');
  return {
    getSetupState: (options) => json({ method: 'GET', path: apiPath('setup'), ...options }, isSetupState),
    lookUpSetup: async (secret, options) =>
      (await json({ method: 'POST', path: apiPath('setup', 'look-up'), body: { secret }, ...options }, isSetupLookedUp))
        .valid,
    setUp: (body) => json({ method: 'POST', path: apiPath('setup'), body }, isSignedIn),
    getSignInOptions: (options) =>
      json({ method: 'GET', path: apiPath('sign-in-options'), ...options }, isSignInOptions),
    signIn: (body) => json({ method: 'POST', path: apiPath('session'), body }, isSignedIn),
    finishSingleSignOn: (query) =>
      json({ method: 'POST', path: apiPath('single-sign-on'), body: { query } }, isSingleSignOnResult),
    connectSingleSignOn: (password) =>
      json({ method: 'POST', path: apiPath('single-sign-on', 'password'), body: { password } }, isSingleSignOnResult),
    whoami: (options) => json({ method: 'GET', path: apiPath('session'), ...options }, isWhoami),
    signOut: () => noContent({ method: 'DELETE', path: apiPath('session') }),
    changePassword: (body) => noContent({ method: 'PUT', path: apiPath('session', 'password'), body }),
    listSessions: async (options) =>
      (await json({ method: 'GET', path: apiPath('sessions'), ...options }, createPageTypeGuard<Session>())).items,
    revokeSession: (id) => noContent({ method: 'DELETE', path: apiPath('sessions', id) }),
    lookUpPasswordReset: (secret, options) =>
      json(
        { method: 'POST', path: apiPath('password-reset', 'look-up'), body: { secret }, ...options },
        isResetDetails,
      ),
    resetPassword: (body) => json({ method: 'POST', path: apiPath('password-reset'), body }, isSignedIn),
  };
}

function createPeopleClient({ json, noContent }: Transport): PeopleClient {
  const isPerson = createObjectGuard<Person>('person_id', 'role');
  const isInvitationCreated = createObjectGuard<Static<typeof CreateInvitationResponse>>('invitation', 'url');
  const isInvitationDetails = createObjectGuard<Static<typeof InvitationDetails>>('role', 'invited_by');
  const isApiKeyCreated = createObjectGuard<Static<typeof CreateApiKeyResponse>>('api_key', 'key');
  const list = async <T>(path: string, options?: CallOptions) =>
    (await json({ method: 'GET', path, ...options }, createPageTypeGuard<T>())).items;
  return {
    listPeople: (options) => list<Person>(apiPath('people'), options),
    changeRole: (id, role) => json({ method: 'PUT', path: apiPath('people', id), body: { role } }, isPerson),
    removePerson: (id) => noContent({ method: 'DELETE', path: apiPath('people', id) }),
    listInvitations: (options) => list<Invitation>(apiPath('invitations'), options),
    createInvitation: (body) => json({ method: 'POST', path: apiPath('invitations'), body }, isInvitationCreated),
    revokeInvitation: (id) => noContent({ method: 'DELETE', path: apiPath('invitations', id) }),
    lookUpInvitation: (secret, options) =>
      json(
        { method: 'POST', path: apiPath('invitations', 'look-up'), body: { secret }, ...options },
        isInvitationDetails,
      ),
    acceptInvitation: (body) => json({ method: 'POST', path: apiPath('invitations', 'accept'), body }, isSignedIn),
    listApiKeys: (options) => list<ApiKey>(apiPath('api-keys'), options),
    createApiKey: (body) => json({ method: 'POST', path: apiPath('api-keys'), body }, isApiKeyCreated),
    revokeApiKey: (id) => noContent({ method: 'DELETE', path: apiPath('api-keys', id) }),
  };
}

function createConsentClient({ json, noContent }: Transport): ConsentClient {
  const isInteraction = createObjectGuard<Interaction>('kind', 'client_name');
  const isResult = createObjectGuard<Static<typeof InteractionDecisionResponse>>('redirect_to');
  const isRequest = createObjectGuard<DeviceRequest>('client_name', 'address');
  return {
    getInteraction: (uid, options) =>
      json({ method: 'GET', path: apiPath('interactions', uid), ...options }, isInteraction),
    decideInteraction: (uid, body) => json({ method: 'POST', path: apiPath('interactions', uid), body }, isResult),
    lookUpDevice: (user_code) =>
      json({ method: 'POST', path: apiPath('device', 'look-up'), body: { user_code } }, isRequest),
    decideDevice: (body) => noContent({ method: 'POST', path: apiPath('device'), body }),
    listGrants: async (options) =>
      (await json({ method: 'GET', path: apiPath('grants'), ...options }, createPageTypeGuard<Grant>())).items,
    revokeGrant: (id) => noContent({ method: 'DELETE', path: apiPath('grants', id) }),
  };
}

export function createIdentityClient(transport: Transport): IdentityClient {
  return { ...createSessionsClient(transport), ...createPeopleClient(transport), ...createConsentClient(transport) };
}
