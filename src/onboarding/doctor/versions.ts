import { version } from '../../environment/version.ts';
import { checkFailed, checkPassed, checkSkipped, createProblem, type SetupProblem } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

/** Compares the executor, its image and this `vp` with the version that the control plane recommends. */
export const versionsCheck: DoctorCheck = {
  id: 'versions',
  title: 'versions',
  async inspect({ platform, state: { instanceId, registered } }) {
    if (!registered) return checkSkipped(`vp ${version}`, 'not compared: other versions are unknown');
    const { executor_version: executor, recommended_version: recommended } = registered;
    const outdated: SetupProblem[] = [];
    const compare = (subject: string, actual: string): void => {
      if (actual !== recommended)
        outdated.push(createProblem('VERSION_OTHER', { component: subject, actual, recommended }));
    };
    compare('this vp', version);
    if (executor !== null) compare(`the executor of ${instanceId}`, executor);
    const images = instanceId === undefined ? [] : await platform.listInstanceImages(instanceId);
    for (const { image, tag } of images) {
      if (tag !== undefined) compare(`the image ${image}`, /^v(.+)-slim$/.exec(tag)?.[1] ?? tag);
    }
    return outdated.length === 0 ? checkPassed(`${recommended}, as recommended`) : checkFailed(...outdated);
  },
};
