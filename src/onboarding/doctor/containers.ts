import type { DoctorCheck } from './context.ts';

/** The platform's containers of this instance, of the router and of the dashboard. */
export const containersCheck: DoctorCheck = {
  id: 'containers',
  title: 'containers of the platform',
  async inspect({ platform, state: { instanceId, registered, onboarded } }) {
    const isExecutorOnline = registered?.executor_status === 'REGISTERED' && onboarded === undefined;
    return platform.diagnose({ topic: 'services', instanceId, isExecutorOnline, network: onboarded?.facts.network });
  },
};
