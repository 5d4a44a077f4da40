import { ScenarioHealthDocument, ScenarioHealthList } from '../../contract/health-api.ts';
import { InstancePath, ScenarioPath } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';

export const scenarioHealthRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/health',
    operation: 'getInstanceHealth',
    summary: 'How far the results of each scenario can be relied on: pass rate, flips, flaky, slower',
    action: 'run.read',
    params: InstancePath,
    response: ScenarioHealthList,
    handler: ({ services: { control }, params }) => control.health.list(params.instance),
  }),
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/health/{scenario}',
    operation: 'getScenarioHealth',
    summary: 'The same for one scenario, with each of its checks',
    action: 'run.read',
    params: ScenarioPath,
    response: ScenarioHealthDocument,
    handler: ({ services: { control }, params }) => control.health.get(params.instance, params.scenario),
  }),
];
