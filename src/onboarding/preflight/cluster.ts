import { type Check, fine } from './check.ts';
import type { PreflightContext } from './context.ts';

/** Answers whoever names a cluster: there is none on this tier. */
export const clusterCheck: Check<Pick<PreflightContext, 'kubeContext'>> = {
  id: 'cluster',
  title: 'cluster',
  async look({ kubeContext }) {
    if (kubeContext === undefined) return fine('none is needed on this tier');
    return fine(`the tier compose runs on this machine alone: nothing was looked at in the cluster ${kubeContext}`);
  },
};
