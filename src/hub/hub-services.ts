/** Creates the services of hubs. */

import type { PersonRemovalHooks } from '../identity/accounts/person-removal-hooks.ts';
import type { SecurityEvent } from '../identity/context.ts';
import { Listeners } from '../listeners/listeners.ts';
import type { SealingKey } from '../secrets/sealing.ts';
import { repeatEvery } from '../timing/repeat.ts';
import { createHubAuthenticator, type VerifyGrant } from './access/authenticator.ts';
import type { HubAuthenticator } from './access/principal.ts';
import { createStoredCallers, type FindStoredCaller, type VerifyGrantCredential } from './access/stored-caller.ts';
import type { OnAccessEnded } from './access/stream-revalidation.ts';
import { createHubChangesService, type HubChangesService } from './changes/changes-service.ts';
import type { ConnectionRepository } from './connections/connection.ts';
import { type ConnectionAccess, createConnectionAccess } from './connections/connection-access.ts';
import { createConnectionRepository } from './connections/connection-repository.ts';
import type { ConnectionsService } from './connections/connections-service.ts';
import { createConnectionsService } from './connections/connections-service.ts';
import { defaultHubSettings, type HubContext, type HubSettings } from './context.ts';
import { createHubDirectory, type HubDirectory } from './hubs/hub-directory.ts';
import { createMembersService, createPersonRemovalListener, type MembersService } from './members/members-service.ts';
import type { RemovedSignIn } from './sign-in/sign-in-revoker.ts';
import { createTokensService, type TokensService } from './tokens/tokens-service.ts';

export type HubServices = {
  readonly hubs: HubDirectory;
  readonly members: MembersService;
  readonly tokens: TokensService;
  readonly connections: ConnectionsService;
  readonly changes: HubChangesService;
  readonly connectionAccess: ConnectionAccess;
  readonly connectionRepository: ConnectionRepository;
  readonly authenticator: HubAuthenticator;
  readonly findStoredCaller: FindStoredCaller;
  readonly onAccessEnded: OnAccessEnded;
  /** For keys of what must stay valid over restarts. */
  readonly secret: Uint8Array;
  /** Seals what is stored. */
  readonly dataKey: SealingKey;
  /** What the services log about a hub. Returns a function that stops listening. */
  onEvent(listener: (event: SecurityEvent) => void): () => void;
  /** Returns a function that stops listening. */
  onSignInsRemoved(listener: (removed: readonly RemovedSignIn[]) => void): () => void;
  /** Erases expired tokens. */
  clean(): Promise<void>;
  close(): void;
};

export type HubServicesOptions = Omit<
  HubContext,
  'settings' | 'notifyHubChanged' | 'notifyTokenEnded' | 'notifySignInsRemoved'
> & {
  readonly settings?: Partial<HubSettings>;
  /** Verifies OAuth access tokens for hubs; without it none is accepted. */
  readonly verifyGrant?: VerifyGrant;
  readonly isGrantValid?: VerifyGrantCredential;
  readonly beforePersonRemoved: PersonRemovalHooks['register'];
  /** Calls a listener when a grant or an account has ended; the returned function stops that. */
  readonly onCredentialRevoked: (listener: () => void) => () => void;
  /** False while the clock cannot be trusted: then no expired token is erased. */
  readonly mayDeleteByAge?: (() => boolean) | undefined;
};

const cleanIntervalMs = 3_600_000;

export function createHubServices(options: HubServicesOptions): HubServices {
  const hubChanges = new Listeners<string>(options.onError);
  const accessEnds = new Listeners(options.onError);
  const signInRemovals = new Listeners<readonly RemovedSignIn[]>(options.onError);
  const events = new Listeners<SecurityEvent>(options.onError);
  const context: HubContext = {
    ...options,
    logSecurityEvent(event) {
      options.logSecurityEvent(event);
      events.notify(event);
    },
    settings: { ...defaultHubSettings, ...options.settings },
    notifyHubChanged(hubId) {
      hubChanges.notify(hubId);
      accessEnds.notify();
    },
    notifyTokenEnded: accessEnds.notify,
    notifySignInsRemoved: (removed) => void (removed.length > 0 && signInRemovals.notify(removed)),
  };
  const unlisten = [
    options.beforePersonRemoved(createPersonRemovalListener(context)),
    options.onCredentialRevoked(accessEnds.notify),
  ];
  const tokens = createTokensService(context);
  const { mayDeleteByAge = () => true } = options;
  const clean = async (): Promise<void> => {
    if (mayDeleteByAge()) await tokens.clean();
  };
  const stop = repeatEvery(options.clock, cleanIntervalMs, clean, options.onError);
  return {
    hubs: createHubDirectory(context),
    members: createMembersService(context),
    tokens,
    connections: createConnectionsService(context),
    changes: createHubChangesService(context),
    connectionAccess: createConnectionAccess(context),
    connectionRepository: createConnectionRepository(context, hubChanges.add),
    authenticator: createHubAuthenticator(context, options.verifyGrant),
    findStoredCaller: createStoredCallers(context, options.isGrantValid),
    onAccessEnded: accessEnds.add,
    secret: context.keys.tokenHashKey,
    dataKey: context.keys.dataKey,
    onEvent: events.add,
    onSignInsRemoved: signInRemovals.add,
    clean,
    close() {
      for (const stopListening of unlisten) stopListening();
      stop();
    },
  };
}
