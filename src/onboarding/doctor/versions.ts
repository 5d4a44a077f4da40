import { containersOfProject } from '../../containers/containers.ts';
import { tagOf } from '../../containers/images.ts';
import { version } from '../../environment/version.ts';
import { fine, type Problem, problem } from '../preflight/check.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

/** Executor, image and this program against the version that the control plane recommends. */
export const versionsCheck: DoctorCheck = {
  id: 'versions',
  title: 'versions',
  async look(context) {
    const { instanceId, registered } = context.found;
    if (!registered) return fine(`vp ${version}`, 'the rest is not known');
    const { executor_version: executor, recommended_version: recommended } = registered;
    const outdated: Problem[] = [];
    const compare = (what: string, found: string): void => {
      if (found !== recommended) outdated.push(problem('VERSION_OTHER', { what, found, recommended }));
    };
    compare('this vp', version);
    if (executor !== null) compare(`the executor of ${instanceId}`, executor);
    for (const image of await imagesOf(context)) {
      const tag = tagOf(image);
      if (tag !== undefined) compare(`the image ${image}`, /^v(.+)-slim$/.exec(tag)?.[1] ?? tag);
    }
    return outdated.length === 0 ? fine(`${recommended}, as recommended`) : { facts: [], problems: outdated };
  },
};

async function imagesOf({ engine, found }: DoctorContext): Promise<readonly string[]> {
  const opened = await engine().catch(() => undefined);
  if (!opened) return [];
  const containers = await containersOfProject(opened, `platform-inst-${found.instanceId}`);
  return [...new Set(containers.map(({ image }) => image))];
}
