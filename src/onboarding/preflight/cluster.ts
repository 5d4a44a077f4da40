import { checkPassed, checkSkipped, type SetupCheck } from '../checks/setup-check.ts';
import type { PreflightContext } from './context.ts';

/** This tier has no cluster. */
export const clusterCheck: SetupCheck<Pick<PreflightContext, 'kubeContext'>> = {
  id: 'cluster',
  title: 'cluster',
  async inspect({ kubeContext }) {
    if (kubeContext === undefined) return checkPassed('not needed on this tier');
    return checkSkipped(`the compose tier runs on this machine only: the cluster ${kubeContext} was not checked`);
  },
};
