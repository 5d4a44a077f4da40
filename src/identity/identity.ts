/** Accounts and credentials of a control plane, as functions on its store. */
import { agentTokenPrefix } from '../contract/agent-token.ts';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { bearerPrefix } from '../secrets/bearer.ts';
import { deleteExpiredLinks } from '../store/control/identity-links.ts';
import { deleteExpiredOAuth } from '../store/control/identity-oauth.ts';
import { deleteStaleDevices, deleteStaleSessions, sessionOf } from '../store/control/sessions.ts';
import type { Database } from '../store/database.ts';
import { type AgentTokens, agentTokensOf } from './agent-tokens.ts';
import { type ApiKeys, apiKeysOf } from './api-keys.ts';
import { createAttempts } from './attempts.ts';
import type { AgentCaller, Caller, MachineCaller, PersonCaller, TokenCaller } from './caller.ts';
import type { IdentityContext, IdentityKeys, SecurityEvent } from './context.ts';
import { createEnds } from './ends.ts';
import { type Invitations, invitationsOf } from './invitations.ts';
import { type MachineKeys, machineKeysOf } from './machine-keys.ts';
import type { ClientDocumentSettings } from './oauth/client-documents.ts';
import { type OAuth, oauthOf } from './oauth/oauth.ts';
import type { RefusedPage } from './oauth/refused-requests.ts';
import { type PasswordLinks, passwordLinksOf } from './password-links.ts';
import { createPasswords } from './passwords.ts';
import { type People, peopleOf, personHolder } from './people.ts';
import { createPersonEnds, type PersonEnds } from './person-ends.ts';
import { signedInAtMs } from './recent-sign-in.ts';
import { isLive, type Sessions, sessionHolder, sessionsOf } from './sessions.ts';
import { defaultIdentitySettings, type IdentitySettings } from './settings.ts';
import { isSetupNeeded, makeSetupSecret } from './setup.ts';
import { type SignIn, signInOf } from './sign-in.ts';
import type { SingleSignOnSettings } from './single-sign-on/settings.ts';
import { type SingleSignOn, singleSignOnOf } from './single-sign-on/single-sign-on.ts';

/** All of it. */
export type Identity = {
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly people: People;
  readonly invitations: Invitations;
  readonly apiKeys: ApiKeys;
  readonly agentTokens: AgentTokens;
  readonly machineKeys: MachineKeys;
  readonly oauth: OAuth;
  readonly passwordLinks: PasswordLinks;
  /** Undefined where no provider is set up. */
  readonly singleSignOn: SingleSignOn | undefined;
  readonly setup: {
    needed(): Promise<boolean>;
    /** A new link's secret. Throws SETUP_DONE. */
    secret(): Promise<string>;
  };
  /** Whom a bearer token of a person, of an agent or of a machine stands for. */
  bearer(token: string, address: string): Promise<TokenCaller | AgentCaller | MachineCaller | undefined>;
  /** Whether the credential behind an earlier call still holds. */
  holds(caller: Caller): Promise<boolean>;
  /** Calls `listener` when the credential behind a caller ends; the returned function stops that. */
  onEnd(caller: Caller, listener: () => void): () => void;
  /** Tells of accounts that end, in time to read what is kept for them; the returned function stops that. */
  readonly beforePersonEnds: PersonEnds['listen'];
  /** When the person behind a call proved who they are; undefined where nothing says so. */
  signedInAtMs(caller: PersonCaller): Promise<number | undefined>;
  /** Tells the log of security. */
  tell(event: SecurityEvent): void;
  /** Deletes what has expired. */
  clean(): Promise<void>;
  close(): Promise<void>;
};

/** What identity is made of; `tell` writes to the log of security. */
export type IdentityOptions = {
  readonly database: Database;
  readonly keys: IdentityKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings?: Partial<IdentitySettings>;
  readonly singleSignOn?: SingleSignOnSettings | undefined;
  readonly tell: (event: SecurityEvent) => void;
  /** Where browsers reach us, at the root of an origin; asked when it is first needed. */
  readonly issuer: () => string;
  readonly onFirstOwner?: () => void;
  /** How documents of programs are fetched; without it no program’s id is an address. */
  readonly documents?: ClientDocumentSettings | undefined;
  /** What people see of a request to sign in that cannot go on; they get JSON without it. */
  readonly refusedPage?: RefusedPage | undefined;
  /** Told of faults in background work. */
  readonly onFault: (fault: unknown) => void;
};

const cleanEveryMs = 3_600_000;

function contextOf(options: IdentityOptions): IdentityContext {
  const { database, keys, clock, random, tell, onFirstOwner = () => undefined } = options;
  const settings = { ...defaultIdentitySettings, ...options.settings };
  const passwords = createPasswords(settings, random);
  const attempts = createAttempts(clock, settings);
  const told = { ends: createEnds(), personEnds: createPersonEnds(), tell, onFirstOwner };
  return { database, keys, clock, random, settings, passwords, attempts, ...told };
}

/** Makes it; nothing is read yet. */
export function createIdentity(options: IdentityOptions): Identity {
  const context = contextOf(options);
  const { database, keys, clock, random, settings, ends, tell } = context;
  const apiKeys = apiKeysOf(context);
  const agentTokens = agentTokensOf(context);
  const machineKeys = machineKeysOf(context);
  const oauth = oauthOf(context, options);
  const clean = (): Promise<void> => cleaned(context);
  const stopCleaning = repeatedly(clock, clean, options.onFault);
  return {
    signIn: signInOf(context),
    sessions: sessionsOf(context),
    people: peopleOf(context),
    invitations: invitationsOf(context),
    apiKeys,
    agentTokens,
    machineKeys,
    oauth,
    passwordLinks: passwordLinksOf(context),
    singleSignOn: options.singleSignOn && singleSignOnOf(context, options.singleSignOn, options.issuer),
    setup: {
      needed: () => isSetupNeeded(context),
      secret: () => {
        const { tokenHashKey } = keys;
        return makeSetupSecret({ database, tokenHashKey, random, nowMs: clock.nowMs(), lifeMs: settings.setupLinkMs });
      },
    },
    bearer(token, address) {
      if (token.startsWith(agentTokenPrefix)) return agentTokens.use(token, address);
      if (token.startsWith(bearerPrefix.machine)) return machineKeys.use(token, address);
      return token.startsWith(bearerPrefix.api_key) ? apiKeys.use(token, address) : oauth.use(token, address);
    },
    holds: (caller) => holds(context, { apiKeys, oauth }, caller),
    onEnd(caller, listener) {
      const stops = holdersOf(caller).map((holder) => ends.on(holder, listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    beforePersonEnds: context.personEnds.listen,
    signedInAtMs: (caller) => signedInAtMs(context, caller),
    tell,
    clean,
    async close() {
      stopCleaning();
      await oauth.close();
    },
  };
}

function holdersOf(caller: Caller): readonly string[] {
  if (caller.kind !== 'person') return [];
  const own = caller.via === 'session' ? sessionHolder(caller.sessionId) : caller.holder;
  return [own, personHolder(caller.personId)];
}

async function holds(
  context: IdentityContext,
  { apiKeys, oauth }: Pick<Identity, 'apiKeys' | 'oauth'>,
  caller: Caller,
): Promise<boolean> {
  // The owner key ends with the first owner; the others are not used for anything that lasts.
  if (caller.kind === 'owner') return isSetupNeeded(context);
  if (caller.kind !== 'person') return true;
  if (caller.via !== 'session') return (caller.via === 'api_key' ? apiKeys : oauth).holds(caller.holder);
  const row = await context.database.read((sql) => sessionOf(sql, caller.sessionId));
  return row !== undefined && isLive(context, row);
}

async function cleaned({ database, clock, settings, ends }: IdentityContext): Promise<void> {
  const nowMs = clock.nowMs();
  const ended = await database.write((sql) => {
    deleteExpiredLinks(sql, nowMs);
    deleteExpiredOAuth(sql, nowMs);
    deleteStaleDevices(sql, nowMs - settings.knownDeviceMs);
    return deleteStaleSessions(sql, nowMs - settings.sessionIdleMs, nowMs - settings.sessionMaxMs);
  });
  for (const id of ended) ends.fire(sessionHolder(id));
}

function repeatedly(clock: Clock, work: () => Promise<void>, onFault: (fault: unknown) => void): () => void {
  let cancel = clock.after(cleanEveryMs, again);
  function again(): void {
    work().catch(onFault);
    cancel = clock.after(cleanEveryMs, again);
  }
  return () => cancel();
}
