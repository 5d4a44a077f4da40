/** The router of this machine, started or joined. */
import { startProject } from '../../containers/compose-project.ts';
import { known, type OnboardingContext } from '../context.ts';
import { sharedFolder } from '../engine/kit.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { scrapeKey } from '../scrape-key.ts';
import { notRunning } from '../stack-files.ts';
import { placeProjectConfig } from '../stacks/place-config.ts';
import { routerProject } from '../stacks/router.ts';
import { noteFresh, takeBackProject } from '../take-back.ts';

/** The step. */
export const routerStep: Step<OnboardingContext> = {
  id: 'router',
  title: 'router of agents (platform-router)',
  async check(context) {
    const missing = await notRunning(known(context, 'engine'), routerProject, ['router']);
    if (missing.length > 0) return todo(missing.join(', '));
    return context.found.isRouterStale ? todo('its compose file changed') : done('runs on 127.0.0.1:9765');
  },
  async act(context) {
    const folder = sharedFolder(context.ports.environment.paths, 'router');
    const { asked, say, signal } = context;
    await noteFresh(context, routerProject);
    const files = { 'scrape.key': await scrapeKey(context) };
    await placeProjectConfig(known(context, 'engine'), { project: routerProject, image: asked.image, files, signal });
    await startProject(known(context, 'engine'), { name: routerProject, folder }, { onLine: say, signal });
    signal.throwIfAborted();
    return { detail: 'started on 127.0.0.1:9765' };
  },
  undo: (context) => takeBackProject(context, routerProject),
};
