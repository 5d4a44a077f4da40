/** The compose files of the instance and of the router, beside the target's own, which is never touched. */
import { known, type OnboardingContext } from '../context.ts';
import { kitPlaces, sharedFolder } from '../engine/kit.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { instanceStackOf } from '../instance-stack-of.ts';
import { routerStackOf } from '../router-stack-of.ts';
import { staleFiles, writeFiles } from '../stack-files.ts';
import { routerProject } from '../stacks/router.ts';

async function stacksOf(context: OnboardingContext) {
  const { paths } = context.ports.environment;
  return [
    { stack: await instanceStackOf(context), folder: kitPlaces(known(context, 'kit')).compose },
    { stack: routerStackOf(context), folder: sharedFolder(paths, 'router') },
  ];
}

/** The step. */
export const composeFilesStep: Step<OnboardingContext> = {
  id: 'compose-files',
  title: 'compose files',
  async check(context) {
    const stale: string[] = [];
    for (const { stack, folder } of await stacksOf(context)) {
      const files = await staleFiles(stack, folder);
      stale.push(...files.map((file) => `${file} of ${stack.name}`));
    }
    return stale.length === 0 ? done('as they should be') : todo(`to be written: ${stale.join(', ')}`);
  },
  async act(context) {
    await context.journal.put({ executor_port: known(context, 'port') });
    for (const { stack, folder } of await stacksOf(context)) {
      const isStale = (await staleFiles(stack, folder)).length > 0;
      if (isStale && stack.name === routerProject) context.found.isRouterStale = true;
      else if (isStale) context.found.isInstanceStale = true;
      await writeFiles(stack, folder, context.ports.environment.random);
    }
    return { detail: `written to ${kitPlaces(known(context, 'kit')).compose}` };
  },
};
