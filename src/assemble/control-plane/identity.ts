/** Identity on the store of a control plane, with the security log. */
import { rmSync } from 'node:fs';
import type { OpenControl } from '../../control/open-control.ts';
import type { Environment } from '../../environment/environment.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import { createIdentity, type Identity } from '../../identity/identity.ts';
import type { IdentitySettings } from '../../identity/settings.ts';
import type { SingleSignOnSettings } from '../../identity/single-sign-on/settings.ts';
import { createRefusedRequestPage } from '../../server/oauth/refused-request-page.ts';
import type { ProcessLog } from '../process-log.ts';

export type IdentityDependencies = {
  readonly control: Pick<OpenControl, 'database' | 'keyring' | 'clock' | 'forgetCredentials'>;
  readonly environment: Pick<Environment, 'random' | 'variables'>;
  readonly settings?: Partial<IdentitySettings> | undefined;
  readonly singleSignOn?: SingleSignOnSettings | undefined;
  /**
   * How client metadata documents are fetched. Their URLs come from unauthenticated clients, so `--allow-private` of hub
   * connections does not apply to them.
   */
  readonly clientDocuments?: {
    readonly allowPrivate?: boolean;
    readonly extraRoots?: readonly string[] | undefined;
  };
  /** See `createIdentity`. */
  readonly issuer: () => string;
  readonly filesRemovedAfterSetup: readonly string[];
  readonly log: ProcessLog;
};

function createSecurityLog(log: ProcessLog): (event: SecurityEvent) => void {
  return ({ event, level, ...fields }) => log[level]({ security: event, ...fields }, event.replaceAll('_', ' '));
}

export function openIdentity(dependencies: IdentityDependencies): Identity {
  const { control, environment, settings, singleSignOn, issuer, filesRemovedAfterSetup, log } = dependencies;
  const { allowPrivate = false, extraRoots = [] } = dependencies.clientDocuments ?? {};
  return createIdentity({
    database: control.database,
    keys: control.keyring,
    clock: control.clock,
    mayDeleteByAge: () => control.clock.isSettled(),
    random: environment.random,
    settings: settings ?? {},
    singleSignOn,
    issuer,
    errorPage: createRefusedRequestPage(),
    clientDocuments: { allowPrivate, extraRoots, variables: environment.variables },
    logSecurityEvent: createSecurityLog(log),
    onWritten: control.forgetCredentials,
    onFirstOwner: () => {
      for (const file of filesRemovedAfterSetup) rmSync(file, { force: true });
    },
    onError: (fault) => log.error({ err: fault }, 'background work failed'),
  });
}
