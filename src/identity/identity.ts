/** Accounts and credentials of a control plane. */

import { agentTokenPrefix } from '../contract/agents/agent-token.ts';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { bearerPrefixes } from '../secrets/bearer.ts';
import { deleteExpiredLinks } from '../store/control/identity/links.ts';
import { countPlatformOwners } from '../store/control/identity/people.ts';
import { deleteStaleDevices, deleteStaleSessions, findSession } from '../store/control/identity/sessions.ts';
import { deleteExpiredOAuthRecords } from '../store/control/oauth/oauth-records.ts';
import type { Database } from '../store/database.ts';
import { repeatEvery } from '../timing/repeat.ts';
import { createInvitationsService, type InvitationsService } from './accounts/invitations.ts';
import { createPeopleService, type PeopleService, toPersonCredentialId } from './accounts/people.ts';
import { createPersonRemovalHooks, type PersonRemovalHooks } from './accounts/person-removal-hooks.ts';
import { createSetupSecret, isSetupNeeded, isSetupSecretValid } from './accounts/setup-link.ts';
import type { AgentCaller, Caller, MachineCaller, PersonCaller, TokenCaller } from './caller.ts';
import type { IdentityContext, IdentityKeys, SecurityEvent } from './context.ts';
import { type CredentialCaches, createCredentialCaches } from './credential-caches.ts';
import type { ClientDocumentSettings } from './oauth/clients/client-documents.ts';
import type { RenderErrorPage } from './oauth/error-responses/error-response.ts';
import { createOAuth, type OAuth } from './oauth/oauth.ts';
import { createPasswordHasher } from './passwords/password-hasher.ts';
import { createPasswordLinksService, type PasswordLinksService } from './passwords/password-links.ts';
import { createRevocationEvents } from './revocation-events.ts';
import { findLastSignInMs } from './sessions/last-sign-in.ts';
import {
  createSessionsService,
  isSessionActive,
  type SessionsService,
  toSessionCredentialId,
} from './sessions/sessions.ts';
import { createSignInMethods, type SignInMethods } from './sessions/sign-in.ts';
import { createSignInLimiter } from './sessions/sign-in-limiter.ts';
import { defaultIdentitySettings, type IdentitySettings } from './settings.ts';
import type { SingleSignOnSettings } from './single-sign-on/settings.ts';
import { createSingleSignOn, type SingleSignOn } from './single-sign-on/single-sign-on.ts';
import {
  type AgentTokensService,
  createAgentTokensService,
  toAgentTokenCredentialId,
  toInstanceAgentsCredentialId,
} from './tokens/agent-tokens.ts';
import { type ApiKeysService, createApiKeysService } from './tokens/api-keys.ts';
import { createMachineKeysService, type MachineKeysService } from './tokens/machine-keys.ts';

export type Identity = {
  readonly signIn: SignInMethods;
  readonly sessions: SessionsService;
  readonly people: PeopleService;
  readonly invitations: InvitationsService;
  readonly apiKeys: ApiKeysService;
  readonly agentTokens: AgentTokensService;
  readonly machineKeys: MachineKeysService;
  readonly oauth: OAuth;
  readonly passwordLinks: PasswordLinksService;
  /** Undefined when no provider is configured. */
  readonly singleSignOn: SingleSignOn | undefined;
  readonly setup: {
    isNeeded(): Promise<boolean>;
    /** Whether this secret of a setup link can still be used. */
    isSecretValid(secret: string): Promise<boolean>;
    /** Creates a new link's secret. Throws SETUP_DONE. */
    createSecret(): Promise<string>;
  };
  /** The caller behind a bearer token of a person, an agent or a machine. */
  authenticateBearer(token: string, address: string): Promise<TokenCaller | AgentCaller | MachineCaller | undefined>;
  /** Whether the credential behind an earlier call is still valid. */
  isCredentialValid(caller: Caller): Promise<boolean>;
  /** Calls `listener` when the credential behind a caller is revoked; the returned function unsubscribes. */
  onRevoked(caller: Caller, listener: () => void): () => void;
  /** Calls `listener` whenever a session, key, grant or account is revoked; the returned function unsubscribes. */
  onAnyRevoked(listener: () => void): () => void;
  /** Runs a hook within the transaction that deletes an account; the returned function unregisters it. */
  readonly beforePersonRemoved: PersonRemovalHooks['register'];
  /** When the caller last proved their identity, in epoch milliseconds; undefined when unknown. */
  signedInAtMs(caller: PersonCaller): Promise<number | undefined>;
  logSecurityEvent(event: SecurityEvent): void;
  /** Deletes expired links, sessions, devices and OAuth records. */
  deleteExpired(): Promise<void>;
  close(): Promise<void>;
};

export type IdentityOptions = {
  readonly database: Database;
  readonly keys: IdentityKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings?: Partial<IdentitySettings>;
  readonly singleSignOn?: SingleSignOnSettings | undefined;
  readonly logSecurityEvent: (event: SecurityEvent) => void;
  /** The public URL, at the root of an origin. Called at first use, since a listener on a free port knows its address late. */
  readonly issuer: () => string;
  readonly onFirstOwner?: () => void;
  /** Called after each write of credentials and accounts, before it is reported: the owner key may have ended. */
  readonly onWritten: () => void;
  /** How client metadata documents are fetched; without it, client ids cannot be URLs. */
  readonly clientDocuments?: ClientDocumentSettings | undefined;
  /** Renders the page for an invalid authorization request; without it, browsers get JSON. */
  readonly errorPage?: RenderErrorPage | undefined;
  /** False while the clock cannot be trusted: then nothing expired is deleted. */
  readonly mayDeleteByAge?: (() => boolean) | undefined;
  /** Receives errors of background work. */
  readonly onError: (error: unknown) => void;
};

const cleanupIntervalMs = 3_600_000;

function createContext(options: IdentityOptions, { database, createCache }: CredentialCaches): IdentityContext {
  const { keys, clock, random, logSecurityEvent, onFirstOwner = () => undefined } = options;
  const settings = { ...defaultIdentitySettings, ...options.settings };
  const passwordHasher = createPasswordHasher(settings, random);
  const signInLimiter = createSignInLimiter(clock, settings);
  const revocationEvents = createRevocationEvents();
  const events = {
    revocationEvents,
    personRemovalHooks: createPersonRemovalHooks(),
    logSecurityEvent,
    onFirstOwner() {
      revocationEvents.emit(ownerKeyCredentialId);
      onFirstOwner();
    },
  };
  return { database, createCache, keys, clock, random, settings, passwordHasher, signInLimiter, ...events };
}

/** Reads nothing from the store yet. */
export function createIdentity(options: IdentityOptions): Identity {
  const caches = createCredentialCaches(options.database, options.clock);
  caches.onWritten(options.onWritten);
  const context = createContext(options, caches);
  const { database, keys, clock, random, settings, revocationEvents, logSecurityEvent } = context;
  const apiKeys = createApiKeysService(context);
  const agentTokens = createAgentTokensService(context);
  const machineKeys = createMachineKeysService(context);
  const oauth = createOAuth(context, options);
  const { mayDeleteByAge = () => true } = options;
  const deleteExpired = async (): Promise<void> => {
    if (mayDeleteByAge()) await deleteExpiredRecords(context);
  };
  // The owner key becomes invalid with the first owner.
  const findSetupNeed = context.createCache<boolean>();
  const isOwnerKeyValid = async (): Promise<boolean> =>
    (await findSetupNeed('', (sql) => countPlatformOwners(sql) === 0)) === true;
  const stopCleanup = repeatEvery(clock, cleanupIntervalMs, deleteExpired, options.onError);
  return {
    signIn: createSignInMethods(context),
    sessions: createSessionsService(context),
    people: createPeopleService(context, agentTokens),
    invitations: createInvitationsService(context),
    apiKeys,
    agentTokens,
    machineKeys,
    oauth,
    passwordLinks: createPasswordLinksService(context),
    singleSignOn: options.singleSignOn && createSingleSignOn(context, options.singleSignOn, options.issuer),
    setup: {
      isNeeded: () => isSetupNeeded(context),
      isSecretValid: (secret) =>
        isSetupSecretValid({ database, tokenHashKey: keys.tokenHashKey, nowMs: clock.nowMs() }, secret),
      createSecret: () => {
        const { tokenHashKey } = keys;
        return createSetupSecret({ database, tokenHashKey, random, nowMs: clock.nowMs(), ttlMs: settings.setupLinkMs });
      },
    },
    authenticateBearer(token, address) {
      if (token.startsWith(agentTokenPrefix)) return agentTokens.authenticate(token, address);
      if (token.startsWith(bearerPrefixes.machine)) return machineKeys.authenticate(token, address);
      return token.startsWith(bearerPrefixes.api_key)
        ? apiKeys.authenticate(token, address)
        : oauth.authenticate(token, address);
    },
    isCredentialValid: (caller) =>
      caller.kind === 'owner' ? isOwnerKeyValid() : isCredentialValid(context, { apiKeys, oauth, agentTokens }, caller),
    onRevoked(caller, listener) {
      const unsubscribers = listCredentialIds(caller).map((credentialId) =>
        revocationEvents.subscribe(credentialId, listener),
      );
      return () => {
        for (const unsubscribe of unsubscribers) unsubscribe();
      };
    },
    onAnyRevoked: revocationEvents.subscribeAll,
    beforePersonRemoved: context.personRemovalHooks.register,
    signedInAtMs: (caller) => findLastSignInMs(context, caller),
    logSecurityEvent,
    deleteExpired,
    async close() {
      stopCleanup();
      await oauth.close();
    },
  };
}

/** The first owner ends it. */
const ownerKeyCredentialId = 'owner key';

function listCredentialIds(caller: Caller): readonly string[] {
  if (caller.kind === 'owner') return [ownerKeyCredentialId];
  if (caller.kind === 'agent') {
    const { tokenId, personId, instance } = caller;
    const own = [toAgentTokenCredentialId(tokenId), toInstanceAgentsCredentialId(instance)];
    // A token is removed with the account of its creator.
    return personId === null ? own : [...own, toPersonCredentialId(personId)];
  }
  if (caller.kind !== 'person') return [];
  const credentialId = caller.via === 'session' ? toSessionCredentialId(caller.sessionId) : caller.credentialId;
  return [credentialId, toPersonCredentialId(caller.personId)];
}

async function isCredentialValid(
  context: IdentityContext,
  { apiKeys, oauth, agentTokens }: Pick<Identity, 'apiKeys' | 'oauth' | 'agentTokens'>,
  caller: Caller,
): Promise<boolean> {
  // Those of executors, machines and Prometheus open no streams.
  if (caller.kind === 'agent') return agentTokens.isValid(caller);
  if (caller.kind !== 'person') return true;
  if (caller.via !== 'session') return (caller.via === 'api_key' ? apiKeys : oauth).isValid(caller.credentialId);
  const row = await context.database.read((sql) => findSession(sql, caller.sessionId));
  return row !== undefined && isSessionActive(context, row);
}

async function deleteExpiredRecords({ database, clock, settings, revocationEvents }: IdentityContext): Promise<void> {
  const nowMs = clock.nowMs();
  const deletedSessionIds = await database.write((sql) => {
    deleteExpiredLinks(sql, nowMs);
    deleteExpiredOAuthRecords(sql, nowMs);
    deleteStaleDevices(sql, nowMs - settings.knownDeviceMs);
    return deleteStaleSessions(sql, nowMs - settings.sessionIdleMs, nowMs - settings.sessionMaxMs);
  });
  for (const id of deletedSessionIds) revocationEvents.emit(toSessionCredentialId(id));
}

const servicePrefixes = [bearerPrefixes.executor, bearerPrefixes.scrape, agentTokenPrefix];

/**
 * True for credentials of executors, agents and Prometheus; false for those of people and machines. The prefix decides where
 * a secret is looked up and proves nothing.
 */
export function isServiceCredential(secret: string): boolean {
  return servicePrefixes.some((prefix) => secret.startsWith(prefix));
}
