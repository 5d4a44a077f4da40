/**
 * Everything that the control plane serves, as one constant table. A new route goes into the list of its file. Nothing else
 * is served: the app takes this table and no further routes.
 */
import type { MountedPaths } from '../http/mounted-paths.ts';
import { consolePaths } from './console/console-assets.ts';
import { descriptionRoutes } from './description/description-routes.ts';
import { healthRoutes } from './description/health-routes.ts';
import { systemRoutes } from './description/system-routes.ts';
import { documentationPaths } from './documentation/documentation-handler.ts';
import { eventRoutes } from './events/event-routes.ts';
import { hubApprovalRoutes } from './hubs/approval-routes.ts';
import { hubAuditRoutes } from './hubs/audit-routes.ts';
import { hubChangeRoutes } from './hubs/change-routes.ts';
import { hubConnectionRoutes } from './hubs/connection-routes.ts';
import { hubGatewayRoutes } from './hubs/gateway-routes.ts';
import { hubRoutes } from './hubs/hub-routes.ts';
import { memoryRoutes } from './hubs/memory-routes.ts';
import { hubPolicyRoutes } from './hubs/policy-routes.ts';
import { hubProbeRoutes } from './hubs/probe-routes.ts';
import { hubSignInRoutes } from './hubs/sign-in-routes.ts';
import { hubTokenRoutes } from './hubs/token-routes.ts';
import { hubToolRoutes } from './hubs/tool-routes.ts';
import { hubUsageRoutes } from './hubs/usage-routes.ts';
import { apiKeyRoutes } from './identity/api-key-routes.ts';
import { invitationRoutes } from './identity/invitation-routes.ts';
import { passwordResetRoutes } from './identity/password-reset-routes.ts';
import { peopleRoutes } from './identity/people-routes.ts';
import { sessionRoutes } from './identity/session-routes.ts';
import { singleSignOnRoutes } from './identity/single-sign-on-routes.ts';
import { agentTokenRoutes } from './instances/agent-token-routes.ts';
import { executorRoutes } from './instances/executor-routes.ts';
import { instanceRoutes } from './instances/instance-routes.ts';
import { notificationRoutes } from './notifications/notification-routes.ts';
import { deviceRoutes } from './oauth/device-routes.ts';
import { grantRoutes } from './oauth/grant-routes.ts';
import { interactionRoutes } from './oauth/interaction-routes.ts';
import { oauthServerPaths } from './oauth/oauth-handler.ts';
import { oauthRegistrationRoutes } from './oauth/registration-routes.ts';
import { resourceMetadataRoutes } from './oauth/resource-metadata-routes.ts';
import { registryRoutes } from './registry/registry-routes.ts';
import type { ServerRoute } from './route.ts';
import { comparisonRoutes } from './runs/comparison-routes.ts';
import { failureRoutes } from './runs/failure-routes.ts';
import { scenarioHealthRoutes } from './runs/health-routes.ts';
import { reportRoutes } from './runs/report-routes.ts';
import { runRoutes } from './runs/run-routes.ts';
import { statisticsRoutes } from './runs/statistics-routes.ts';
import { quarantineRoutes } from './scenarios/quarantine-routes.ts';
import { scenarioRoutes } from './scenarios/scenario-routes.ts';
import { scheduleRoutes } from './schedules/schedule-routes.ts';
import { scheduleWebhookRoutes } from './schedules/webhook-routes.ts';
import { publicStatusRoutes } from './status-pages/public-status-routes.ts';
import { statusPageRoutes } from './status-pages/status-page-routes.ts';
import { suiteRoutes } from './suites/suite-routes.ts';
import { viewRoutes } from './views/view-routes.ts';

/** Routes, in the order of the OpenAPI document. */
export const serverRoutes: readonly ServerRoute[] = [
  ...instanceRoutes,
  ...scenarioRoutes,
  ...quarantineRoutes,
  ...runRoutes,
  ...suiteRoutes,
  ...failureRoutes,
  ...comparisonRoutes,
  ...scenarioHealthRoutes,
  ...scheduleRoutes,
  ...viewRoutes,
  ...statusPageRoutes,
  ...publicStatusRoutes,
  ...notificationRoutes,
  ...scheduleWebhookRoutes,
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
  ...hubChangeRoutes,
  ...hubConnectionRoutes,
  ...hubProbeRoutes,
  ...hubSignInRoutes,
  ...hubPolicyRoutes,
  ...hubApprovalRoutes,
  ...hubToolRoutes,
  ...hubUsageRoutes,
  ...hubAuditRoutes,
  ...hubGatewayRoutes,
  ...memoryRoutes,
  ...registryRoutes,
  ...resourceMetadataRoutes,
  ...oauthRegistrationRoutes,
  ...interactionRoutes,
  ...deviceRoutes,
  ...executorRoutes,
  ...systemRoutes,
  ...healthRoutes,
  ...descriptionRoutes,
];

/** Paths that other handlers serve; they are matched before the routes. */
export const mountedPaths: readonly MountedPaths[] = [oauthServerPaths, consolePaths, documentationPaths];

const keyedRoutes = serverRoutes
  .filter(({ headers }) => headers?.properties['idempotency-key'] !== undefined)
  .map(({ method, path }) => ({ method, pattern: toPattern(path) }));

function toPattern(template: string): RegExp {
  const segments = template.split('/').map((segment) => (/^\{\w+\}$/.test(segment) ? '[^/]+' : RegExp.escape(segment)));
  return new RegExp(`^${segments.join('/')}$`);
}

/** Whether requests may be repeated with the same `Idempotency-Key`; `path` is a request's target without its query. */
export function isKeyedRoute(method: string, path: string): boolean {
  return keyedRoutes.some((route) => route.method === method && route.pattern.test(path));
}
