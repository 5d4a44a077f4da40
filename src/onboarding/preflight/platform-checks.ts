/** Checks that the platform of the tier answers: its engine, and the ports and names that it needs. */
import { routerProjectName } from '../../contract/platform-names.ts';
import type { SetupCheck } from '../checks/setup-check.ts';
import { executorPortRange, hostPorts } from '../platform/host-ports.ts';

import type { PreflightContext } from './context.ts';

type PlatformCheck = SetupCheck<Pick<PreflightContext, 'platform' | 'instance'>>;

export const runtimeCheck: SetupCheck<Pick<PreflightContext, 'platform'>> = {
  id: 'runtime',
  title: 'container engine and compose',
  inspect: ({ platform }) => platform.diagnose({ topic: 'runtime' }),
};

export const dashboardPortCheck: PlatformCheck = {
  id: 'dashboard_port',
  title: `port ${hostPorts.dashboard} for the dashboard`,
  inspect: ({ platform }) => platform.diagnose({ topic: 'host-port', service: 'dashboard' }),
};

export const metricsPortCheck: PlatformCheck = {
  id: 'metrics_port',
  title: `port ${hostPorts.metrics} for the metrics store`,
  inspect: ({ platform }) => platform.diagnose({ topic: 'host-port', service: 'metrics' }),
};

export const routerPortCheck: PlatformCheck = {
  id: 'router_port',
  title: `port ${hostPorts.router} for the router of agents`,
  inspect: ({ platform }) => platform.diagnose({ topic: 'host-port', service: 'router' }),
};

export const routerNameCheck: PlatformCheck = {
  id: 'router_name',
  title: `container name ${routerProjectName}`,
  inspect: ({ platform }) => platform.diagnose({ topic: 'router-name' }),
};

export const executorPortCheck: PlatformCheck = {
  id: 'executor_port',
  title: `a port for the executor, ${executorPortRange.first} to ${executorPortRange.last}`,
  inspect: ({ platform, instance }) => platform.diagnose({ topic: 'executor-port', instanceId: instance }),
};
