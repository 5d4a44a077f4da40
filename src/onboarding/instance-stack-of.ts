/** The compose project of the instance that is being onboarded. */
import { known, type OnboardingContext } from './context.ts';
import { instanceStack } from './stacks/instance.ts';
import { socketGroupOf } from './stacks/socket-group.ts';
import { knowsStartInterval, type Stack } from './stacks/stack.ts';

/** Its services. */
export const instanceServices = ['executor', 'log-reader'] as const;

/** Made from what the steps before have found; the group of the engine's socket is looked for once. */
export async function instanceStackOf(context: OnboardingContext): Promise<Stack> {
  const { asked, found, signal } = context;
  const engine = known(context, 'engine');
  const { composeProject = '', network = '' } = known(context, 'project').deploy ?? {};
  found.socketGroup ??= await socketGroupOf(engine, asked.image, signal);
  return instanceStack({
    instanceId: known(context, 'instanceId'),
    image: asked.image,
    port: known(context, 'port'),
    network,
    composeProject,
    engineSocket: engine.facts.socketFile,
    socketGroup: found.socketGroup,
    controlPlane: known(context, 'way'),
    selinux: engine.facts.selinux,
    startInterval: knowsStartInterval(engine.facts),
  });
}
