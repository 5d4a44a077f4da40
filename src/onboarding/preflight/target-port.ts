import { loadProject } from '../../project/load-project.ts';
import { failedConfig } from '../checks/config-problem.ts';
import { checkSkipped, mergeFindings, type SetupCheck } from '../checks/setup-check.ts';
import type { PreflightContext } from './context.ts';

/** Needs the product folder, whose config names the target's project. */
export const targetPortCheck: SetupCheck<Pick<PreflightContext, 'platform' | 'productDir'>> = {
  id: 'target_port',
  title: 'target and its published ports',
  async inspect({ platform, productDir }) {
    if (productDir === undefined) return checkSkipped('not checked without --product-dir');
    const { config, problems } = await loadProject(productDir);
    if (config === undefined) return failedConfig(problems);
    const composeProject = config.deploy?.composeProject;
    if (composeProject === undefined) return checkSkipped('not checked: the config names no compose project');
    const host = new URL(config.targets.http.baseUrl).hostname;
    const ports = await platform.diagnose({ topic: 'target-ports', composeProject });
    // Without any container both say the same.
    if (ports.problems.some(({ code }) => code === 'TARGET_ABSENT')) return ports;
    return mergeFindings([ports, await platform.diagnose({ topic: 'target', composeProject, host })]);
  },
};
