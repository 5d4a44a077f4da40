/** Every route of the control plane, in the order of the OpenAPI document. A new one is a line in the list of its file. */
import { agentTokenRoutes } from './agent-tokens.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { descriptionRoutes } from './description.ts';
import { deviceRoutes } from './device.ts';
import { eventRoutes } from './events.ts';
import { executorRoutes } from './executor.ts';
import { grantRoutes } from './grants.ts';
import { healthRoutes } from './health.ts';
import { hubConnectionRoutes } from './hub-connections.ts';
import { hubTokenRoutes } from './hub-tokens.ts';
import { hubRoutes } from './hubs.ts';
import { instanceRoutes } from './instances.ts';
import { interactionRoutes } from './interactions.ts';
import { invitationRoutes } from './invitations.ts';
import { oauthRegistrationRoutes } from './oauth-registration.ts';
import { passwordResetRoutes } from './password-reset.ts';
import { peopleRoutes } from './people.ts';
import { reportRoutes } from './reports.ts';
import type { ServerRoute } from './route.ts';
import { runRoutes } from './runs.ts';
import { scenarioRoutes } from './scenarios.ts';
import { sessionRoutes } from './session.ts';
import { singleSignOnRoutes } from './single-sign-on.ts';
import { statisticsRoutes } from './statistics.ts';
import { wellKnownRoutes } from './well-known.ts';

/** All of them. */
export const serverRoutes: readonly ServerRoute[] = [
  ...instanceRoutes,
  ...scenarioRoutes,
  ...runRoutes,
  ...statisticsRoutes,
  ...reportRoutes,
  ...eventRoutes,
  ...sessionRoutes,
  ...singleSignOnRoutes,
  ...passwordResetRoutes,
  ...grantRoutes,
  ...peopleRoutes,
  ...invitationRoutes,
  ...apiKeyRoutes,
  ...agentTokenRoutes,
  ...hubRoutes,
  ...hubTokenRoutes,
  ...hubConnectionRoutes,
  ...wellKnownRoutes,
  ...oauthRegistrationRoutes,
  ...interactionRoutes,
  ...deviceRoutes,
  ...executorRoutes,
  ...healthRoutes,
  ...descriptionRoutes,
];
