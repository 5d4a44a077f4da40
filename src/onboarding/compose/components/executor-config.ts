/** Config and keys of an executor, in the volume that it alone mounts. */

import { listProjectVolumes } from '../../../containers/engine-resources.ts';
import { toInstanceProjectName } from '../../../contract/platform-names.ts';
import { actionNeeded, upToDate } from '../../workflow/step.ts';
import { getConfigVolumeName } from '../stacks/instance-stack.ts';
import { writeInstanceConfig } from '../write-config.ts';
import type { ComposeComponent } from './component.ts';

/** Only whether there is a volume can be seen from outside: what is in it is secret. */
export const executorConfigComponent: ComposeComponent<'executor-config'> = {
  async inspect({ engine }, { instanceId }) {
    const volumes = await listProjectVolumes(await engine(), toInstanceProjectName(instanceId));
    return volumes.includes(getConfigVolumeName(instanceId))
      ? upToDate('unchanged')
      : actionNeeded('nothing is written yet');
  },
  async apply({ engine }, { instanceId, image, files }, { signal }) {
    await writeInstanceConfig(await engine(), { instanceId, image, files, signal });
    return { detail: `${Object.keys(files).length} files written` };
  },
};
