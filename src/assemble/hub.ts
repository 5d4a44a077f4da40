/** Hubs on the store of a control plane. */
import type { OpenControl } from '../control/open.ts';
import type { Environment } from '../environment/environment.ts';
import type { HubSettings } from '../hub/hubs-context.ts';
import { createHubService, type HubService } from '../hub/hubs-service.ts';
import type { Identity } from '../identity/identity.ts';
import type { ProcessLog } from './process-log.ts';

/** What they stand on. */
export type HubPlace = {
  readonly control: Pick<OpenControl, 'database' | 'keyring'>;
  readonly identity: Pick<Identity, 'signedInAtMs' | 'beforePersonEnds' | 'tell' | 'oauth'>;
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly settings?: Partial<HubSettings> | undefined;
  readonly log: ProcessLog;
};

/** Opens the hubs' records and their door. */
export function openHubService({ control, identity, environment, settings = {}, log }: HubPlace): HubService {
  return createHubService({
    database: control.database,
    keys: control.keyring,
    clock: environment.clock,
    random: environment.random,
    settings,
    verifyGrant: (knock) => identity.oauth.hubGrant(knock),
    beforePersonEnds: identity.beforePersonEnds,
    signedInAtMs: (caller) => identity.signedInAtMs(caller),
    tell: (event) => identity.tell(event),
    onFault: (fault) => log.error({ err: fault }, 'background work failed'),
  });
}
