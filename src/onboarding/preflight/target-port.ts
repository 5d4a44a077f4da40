import { loadProject } from '../../project/load-project.ts';
import { type SetupCheck, skipped } from '../checks/setup-check.ts';
import type { PreflightContext } from './context.ts';

/** Needs the product folder, whose config names the target's project. */
export const targetPortCheck: SetupCheck<Pick<PreflightContext, 'platform' | 'productDir'>> = {
  id: 'target_port',
  title: 'published ports of the target',
  async inspect({ platform, productDir }) {
    if (productDir === undefined) return skipped('not checked without --product-dir');
    const composeProject = (await loadProject(productDir)).config?.deploy?.composeProject;
    if (composeProject === undefined) return skipped('not checked: the config names no compose project');
    return platform.diagnose({ topic: 'target-ports', composeProject });
  },
};
