import type { DoctorCheck } from './context.ts';

/** The platform's containers of this instance, of the router and of the dashboard. */
export const containersCheck: DoctorCheck = {
  id: 'containers',
  title: 'containers of the platform',
  async inspect({ platform, state }) {
    const { instanceId, registered, onboarded } = state;
    const isExecutorOnline = registered?.executor_status === 'REGISTERED' && onboarded === undefined;
    const network = onboarded?.facts.network;
    const findings = await platform.diagnose({ topic: 'services', instanceId, isExecutorOnline, network });
    state.isPlatformElsewhere = isExecutorOnline && findings.isSkipped === true;
    return findings;
  },
};
