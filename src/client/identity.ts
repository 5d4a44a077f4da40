import type { Static } from '@sinclair/typebox';
import type {
  ApiKey,
  ApiKeyCreated,
  ApiKeyNew,
  DeviceDecision,
  DeviceRequest,
  Grant,
  Interaction,
  InteractionDecision,
  InteractionResult,
  Invitation,
  InvitationAccept,
  InvitationCreated,
  InvitationNew,
  InvitationOffer,
  PasswordChange,
  PasswordReset,
  PasswordResetOffer,
  Person,
  Role,
  Session,
  SessionNew,
  SetupNew,
  SetupState,
  SignedIn,
  SignInOptions,
  SingleSignOnResult,
  Whoami,
} from '../contract/identity-api.ts';
import { objectWith } from './answer.ts';
import { at, type Giving, isPage } from './call.ts';
import type { Transport } from './transport.ts';

/** Who is signed in, and how to become it. */
export type SessionCalls = {
  setupState(giving?: Giving): Promise<Static<typeof SetupState>>;
  setUp(input: Static<typeof SetupNew>): Promise<SignedIn>;
  signInOptions(giving?: Giving): Promise<Static<typeof SignInOptions>>;
  signIn(input: Static<typeof SessionNew>): Promise<SignedIn>;
  /** `query` is what the provider sent back with the browser. */
  finishSingleSignOn(query: string): Promise<SingleSignOnResult>;
  connectSingleSignOn(password: string): Promise<SingleSignOnResult>;
  whoami(giving?: Giving): Promise<Whoami>;
  signOut(): Promise<void>;
  changePassword(input: Static<typeof PasswordChange>): Promise<void>;
  sessions(giving?: Giving): Promise<readonly Session[]>;
  endSession(id: string): Promise<void>;
  lookUpPasswordReset(secret: string, giving?: Giving): Promise<Static<typeof PasswordResetOffer>>;
  resetPassword(input: Static<typeof PasswordReset>): Promise<SignedIn>;
};

/** People, their invitations and their keys. */
export type PeopleCalls = {
  people(giving?: Giving): Promise<readonly Person[]>;
  changeRole(id: string, role: Role): Promise<Person>;
  removePerson(id: string): Promise<void>;
  invitations(giving?: Giving): Promise<readonly Invitation[]>;
  /** The link in the answer is shown once. */
  invite(input: Static<typeof InvitationNew>): Promise<Static<typeof InvitationCreated>>;
  withdrawInvitation(id: string): Promise<void>;
  lookUpInvitation(secret: string, giving?: Giving): Promise<Static<typeof InvitationOffer>>;
  acceptInvitation(input: Static<typeof InvitationAccept>): Promise<SignedIn>;
  apiKeys(giving?: Giving): Promise<readonly ApiKey[]>;
  /** The key in the answer is shown once. */
  createApiKey(input: Static<typeof ApiKeyNew>): Promise<Static<typeof ApiKeyCreated>>;
  endApiKey(id: string): Promise<void>;
};

/** Programs that ask a person for leave. */
export type ConsentCalls = {
  interaction(uid: string, giving?: Giving): Promise<Interaction>;
  decide(uid: string, input: Static<typeof InteractionDecision>): Promise<Static<typeof InteractionResult>>;
  lookUpDevice(userCode: string): Promise<DeviceRequest>;
  decideDevice(input: Static<typeof DeviceDecision>): Promise<void>;
  grants(giving?: Giving): Promise<readonly Grant[]>;
  endGrant(id: string): Promise<void>;
};

/** All of contract/identity-api.ts. */
export type IdentityClient = SessionCalls & PeopleCalls & ConsentCalls;

const isSignedIn = objectWith<SignedIn>('person', 'proof');

function sessionCalls({ json, nothing }: Transport): SessionCalls {
  const isOptions = objectWith<Static<typeof SignInOptions>>('setup_needed', 'single_sign_on');
  const isWhoami = objectWith<Whoami>('person', 'via', 'role');
  const isResult = objectWith<SingleSignOnResult>('signed_in', 'password_needed_for', 'back');
  const isReset = objectWith<Static<typeof PasswordResetOffer>>('name', 'email');
  const isState = objectWith<Static<typeof SetupState>>('needed');
  return {
    setupState: (giving) => json({ method: 'GET', path: at('setup'), ...giving }, isState),
    setUp: (body) => json({ method: 'POST', path: at('setup'), body }, isSignedIn),
    signInOptions: (giving) => json({ method: 'GET', path: at('sign-in-options'), ...giving }, isOptions),
    signIn: (body) => json({ method: 'POST', path: at('session'), body }, isSignedIn),
    finishSingleSignOn: (query) => json({ method: 'POST', path: at('single-sign-on'), body: { query } }, isResult),
    connectSingleSignOn: (password) =>
      json({ method: 'POST', path: at('single-sign-on', 'password'), body: { password } }, isResult),
    whoami: (giving) => json({ method: 'GET', path: at('session'), ...giving }, isWhoami),
    signOut: () => nothing({ method: 'DELETE', path: at('session') }),
    changePassword: (body) => nothing({ method: 'PUT', path: at('session', 'password'), body }),
    sessions: async (giving) =>
      (await json({ method: 'GET', path: at('sessions'), ...giving }, isPage<Session>())).items,
    endSession: (id) => nothing({ method: 'DELETE', path: at('sessions', id) }),
    lookUpPasswordReset: (secret, giving) =>
      json({ method: 'POST', path: at('password-reset', 'look-up'), body: { secret }, ...giving }, isReset),
    resetPassword: (body) => json({ method: 'POST', path: at('password-reset'), body }, isSignedIn),
  };
}

function peopleCalls({ json, nothing }: Transport): PeopleCalls {
  const isPerson = objectWith<Person>('person_id', 'role');
  const isInvitation = objectWith<Static<typeof InvitationCreated>>('invitation', 'url');
  const isOffer = objectWith<Static<typeof InvitationOffer>>('role', 'invited_by');
  const isKey = objectWith<Static<typeof ApiKeyCreated>>('api_key', 'key');
  const list = async <T>(path: string, giving?: Giving) =>
    (await json({ method: 'GET', path, ...giving }, isPage<T>())).items;
  return {
    people: (giving) => list<Person>(at('people'), giving),
    changeRole: (id, role) => json({ method: 'PUT', path: at('people', id), body: { role } }, isPerson),
    removePerson: (id) => nothing({ method: 'DELETE', path: at('people', id) }),
    invitations: (giving) => list<Invitation>(at('invitations'), giving),
    invite: (body) => json({ method: 'POST', path: at('invitations'), body }, isInvitation),
    withdrawInvitation: (id) => nothing({ method: 'DELETE', path: at('invitations', id) }),
    lookUpInvitation: (secret, giving) =>
      json({ method: 'POST', path: at('invitations', 'look-up'), body: { secret }, ...giving }, isOffer),
    acceptInvitation: (body) => json({ method: 'POST', path: at('invitations', 'accept'), body }, isSignedIn),
    apiKeys: (giving) => list<ApiKey>(at('api-keys'), giving),
    createApiKey: (body) => json({ method: 'POST', path: at('api-keys'), body }, isKey),
    endApiKey: (id) => nothing({ method: 'DELETE', path: at('api-keys', id) }),
  };
}

function consentCalls({ json, nothing }: Transport): ConsentCalls {
  const isInteraction = objectWith<Interaction>('kind', 'client_name');
  const isResult = objectWith<Static<typeof InteractionResult>>('redirect_to');
  const isRequest = objectWith<DeviceRequest>('client_name', 'address');
  return {
    interaction: (uid, giving) => json({ method: 'GET', path: at('interactions', uid), ...giving }, isInteraction),
    decide: (uid, body) => json({ method: 'POST', path: at('interactions', uid), body }, isResult),
    lookUpDevice: (user_code) =>
      json({ method: 'POST', path: at('device', 'look-up'), body: { user_code } }, isRequest),
    decideDevice: (body) => nothing({ method: 'POST', path: at('device'), body }),
    grants: async (giving) => (await json({ method: 'GET', path: at('grants'), ...giving }, isPage<Grant>())).items,
    endGrant: (id) => nothing({ method: 'DELETE', path: at('grants', id) }),
  };
}

/** The calls of contract/identity-api.ts. */
export function identityOf(transport: Transport): IdentityClient {
  return { ...sessionCalls(transport), ...peopleCalls(transport), ...consentCalls(transport) };
}
