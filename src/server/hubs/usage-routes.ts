import { HubBudgetList, HubUsage, HubUsageQuery } from '../../contract/hubs/usage-api.ts';
import { HubPath, parseTimestampMs } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';

export const hubUsageRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/hubs/{hub}/usage',
    operation: 'getHubUsage',
    summary: 'Calls, errors, latency, bytes and estimated tokens by person, client, tool, connection, token or day',
    action: 'hub.act',
    params: HubPath,
    query: HubUsageQuery,
    response: HubUsage,
    handler: ({ services, caller, params, query: { by = 'tool', from, to } }) => {
      const range = { fromMs: parseTimestampMs('from', from), toMs: parseTimestampMs('to', to) };
      return services.hubGateway.governance.getUsage(caller, params.hub, { by, ...range });
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/hubs/{hub}/budgets',
    operation: 'listHubBudgets',
    summary: 'What was used of the budgets of a hub in the present day or month (UTC), nearest to its end first',
    action: 'hub.act',
    params: HubPath,
    response: HubBudgetList,
    handler: ({ services, caller, params }) => services.hubGateway.governance.getBudgets(caller, params.hub),
  }),
];
