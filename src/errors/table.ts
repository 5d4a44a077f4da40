/**
 * The table of every error the product can tell, by area. `npm run check` fails when a code is used nowhere, or proved by
 * no test; names never change once released.
 */
import { agentErrors } from './agents.ts';
import { commandErrors } from './command.ts';
import { configErrors } from './config.ts';
import { containerErrors } from './containers.ts';
import { controlErrors } from './control.ts';
import { credentialErrors } from './credential.ts';
import { dashboardErrors } from './dashboard.ts';
import { databaseErrors } from './database.ts';
import { doctorErrors } from './doctor.ts';
import { entranceErrors } from './entrance.ts';
import { evidenceErrors } from './evidence.ts';
import { executorErrors } from './executor.ts';
import { folderErrors } from './folders.ts';
import { httpErrors } from './http.ts';
import { hubGovernanceErrors } from './hub-governance.ts';
import { hubErrors } from './hubs.ts';
import { identityErrors } from './identity.ts';
import { kitErrors } from './kit.ts';
import { logErrors } from './logs.ts';
import { onboardingErrors } from './onboarding.ts';
import { preflightErrors } from './preflight.ts';
import { registryErrors } from './registry.ts';
import { routerErrors } from './router.ts';
import { runErrors } from './run.ts';
import { scenarioErrors } from './scenario.ts';
import { singleSignOnErrors } from './single-sign-on.ts';
import { stackErrors } from './stacks.ts';
import { storeErrors } from './store.ts';
import { syncErrors } from './sync.ts';
import { upstreamErrors } from './upstream.ts';
import { upstreamSignInErrors } from './upstream-sign-in.ts';

/** Code → row. */
export const errorTable = {
  ...agentErrors,
  ...commandErrors,
  ...configErrors,
  ...containerErrors,
  ...controlErrors,
  ...credentialErrors,
  ...dashboardErrors,
  ...databaseErrors,
  ...doctorErrors,
  ...evidenceErrors,
  ...entranceErrors,
  ...executorErrors,
  ...folderErrors,
  ...httpErrors,
  ...hubGovernanceErrors,
  ...hubErrors,
  ...identityErrors,
  ...kitErrors,
  ...logErrors,
  ...onboardingErrors,
  ...preflightErrors,
  ...registryErrors,
  ...routerErrors,
  ...runErrors,
  ...scenarioErrors,
  ...singleSignOnErrors,
  ...stackErrors,
  ...storeErrors,
  ...syncErrors,
  ...upstreamErrors,
  ...upstreamSignInErrors,
} as const;

/** The table's type, with the literal words, so that values can be checked. */
export type ErrorTable = typeof errorTable;
/** A code of the table. */
export type ErrorCode = keyof ErrorTable;
