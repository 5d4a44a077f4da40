import type { OpenControl } from '../../control/open-control.ts';
import type { Environment } from '../../environment/environment.ts';
import type { HubSettings } from '../../hub/context.ts';
import { createHubServices, type HubServices } from '../../hub/hub-services.ts';
import type { Identity } from '../../identity/identity.ts';
import type { ProcessLog } from '../process-log.ts';

export type HubServiceDependencies = {
  readonly control: Pick<OpenControl, 'database' | 'keyring' | 'clock'>;
  readonly identity: Pick<
    Identity,
    'signedInAtMs' | 'beforePersonRemoved' | 'onAnyRevoked' | 'logSecurityEvent' | 'oauth'
  >;
  readonly environment: Pick<Environment, 'random'>;
  readonly settings?: Partial<HubSettings> | undefined;
  readonly log: ProcessLog;
};

export function openHubService({
  control,
  identity,
  environment,
  settings = {},
  log,
}: HubServiceDependencies): HubServices {
  return createHubServices({
    database: control.database,
    keys: control.keyring,
    clock: control.clock,
    mayDeleteByAge: () => control.clock.isSettled(),
    random: environment.random,
    settings,
    verifyGrant: (grantRequest) => identity.oauth.findHubGrant(grantRequest),
    isGrantValid: (credentialId) => identity.oauth.isValid(credentialId),
    beforePersonRemoved: identity.beforePersonRemoved,
    onCredentialRevoked: identity.onAnyRevoked,
    signedInAtMs: (caller) => identity.signedInAtMs(caller),
    logSecurityEvent: (event) => identity.logSecurityEvent(event),
    onError: (fault) => log.error({ err: fault }, 'background work failed'),
  });
}
