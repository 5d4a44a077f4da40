/** Identity on the store of a control plane, with the log of security. */
import { rmSync } from 'node:fs';
import type { OpenControl } from '../control/open.ts';
import type { Environment } from '../environment/environment.ts';
import type { SecurityEvent } from '../identity/context.ts';
import { createIdentity, type Identity } from '../identity/identity.ts';
import type { IdentitySettings } from '../identity/settings.ts';
import type { SingleSignOnSettings } from '../identity/single-sign-on/settings.ts';
import { refusedRequestPage } from '../server/refused-request-page.ts';
import type { ProcessLog } from './process-log.ts';

/** What it stands on. `endedFiles` are removed when the first owner has been made. */
export type IdentityPlace = {
  readonly control: Pick<OpenControl, 'database' | 'keyring'>;
  readonly environment: Pick<Environment, 'clock' | 'random' | 'variables'>;
  readonly settings?: Partial<IdentitySettings> | undefined;
  readonly singleSignOn?: SingleSignOnSettings | undefined;
  /**
   * How documents of programs are fetched. Strangers name them: what the operator lets owners of hubs call in private
   * networks says nothing about these.
   */
  readonly documents?: {
    readonly allowPrivate?: boolean;
    readonly extraRoots?: readonly string[] | undefined;
  };
  /** See `createIdentity`. */
  readonly issuer: () => string;
  readonly endedFiles: readonly string[];
  readonly log: ProcessLog;
};

/** A line of the log for each event of security. */
export function securityLog(log: ProcessLog): (event: SecurityEvent) => void {
  return ({ event, level, ...fields }) => log[level]({ security: event, ...fields }, event.replaceAll('_', ' '));
}

/** Opens identity. */
export function openIdentity(place: IdentityPlace): Identity {
  const { control, environment, settings, singleSignOn, issuer, endedFiles, log } = place;
  const { allowPrivate = false, extraRoots = [] } = place.documents ?? {};
  return createIdentity({
    database: control.database,
    keys: control.keyring,
    clock: environment.clock,
    random: environment.random,
    settings: settings ?? {},
    singleSignOn,
    issuer,
    refusedPage: refusedRequestPage(),
    documents: { allowPrivate, extraRoots, variables: environment.variables },
    tell: securityLog(log),
    onFirstOwner: () => {
      for (const file of endedFiles) rmSync(file, { force: true });
    },
    onFault: (fault) => log.error({ err: fault }, 'background work failed'),
  });
}
