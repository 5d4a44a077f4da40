/** The config of the project, and whether what it says of the target's containers is so. */
import { join } from 'node:path';
import { networkNames, projectNames } from '../../containers/networks.ts';
import { vpError } from '../../errors/vp-error.ts';
import { configOrThrow, loadProject } from '../../project/load.ts';
import { known, type OnboardingContext } from '../context.ts';
import { done, type Step } from '../engine/step.ts';

/** The step. */
export const configStep: Step<OnboardingContext> = {
  id: 'config',
  title: 'config of the project',
  async check(context) {
    const { asked, ports, found, say } = context;
    say(join(asked.productDir, 'platform-config.yaml'));
    const loaded = await loadProject(asked.productDir, { use: 'compose' });
    const project = configOrThrow(loaded);
    for (const { severity, message, cure } of loaded.problems) if (severity === 'warning') ports.warn(message, cure);
    const { deploy } = project;
    // For this tier reading has demanded it.
    if (!deploy) throw new TypeError('a config of the compose tier has no deploy');
    await demandTarget(context, deploy);
    found.project = project;
    return done(`${project.project.name}, ${project.targets.http.baseUrl} in the network ${deploy.network}`);
  },
};

async function demandTarget(
  context: OnboardingContext,
  { composeProject, network }: { readonly composeProject: string; readonly network: string },
): Promise<void> {
  const engine = known(context, 'engine');
  const [projects, networks] = [await projectNames(engine), await networkNames(engine)];
  if (!projects.includes(composeProject)) {
    throw vpError('DEPLOY_PROJECT_UNKNOWN', { name: composeProject, known: listed(projects) });
  }
  if (!networks.includes(network)) throw vpError('DEPLOY_NETWORK_UNKNOWN', { name: network, known: listed(networks) });
}

function listed(names: readonly string[]): string {
  return names.filter((name) => !/^platform-(inst-|obs$|router$)/.test(name)).join(', ') || 'none';
}
