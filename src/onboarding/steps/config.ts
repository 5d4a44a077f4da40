/** The config of the project, and whether the target that it names exists. */
import { join } from 'node:path';
import { loadProject, requireConfig } from '../../project/load-project.ts';
import type { OnboardingContext } from '../context.ts';
import { upToDate, type WorkflowStep } from '../workflow/step.ts';

export const configStep: WorkflowStep<OnboardingContext> = {
  id: 'config',
  title: 'config of the project',
  async check(context) {
    const { request, ports, state, report } = context;
    report(join(request.productDir, 'platform-config.yaml'));
    const loaded = await loadProject(request.productDir, { use: 'compose' });
    const project = requireConfig(loaded);
    for (const { severity, message, cure } of loaded.problems) if (severity === 'warning') ports.warn(message, cure);
    const { deploy } = project;
    // `loadProject` requires it for this tier.
    if (!deploy) throw new TypeError('a config of the compose tier has no deploy');
    await ports.platform.assertTarget(deploy);
    state.project = project;
    return upToDate(`${project.project.name}, ${project.targets.http.baseUrl} in the network ${deploy.network}`);
  },
};
