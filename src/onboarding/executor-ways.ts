/** Where the control plane offers its executors a unix socket, told to those who sit at its machine. */
import { VpError } from '../errors/vp-error.ts';
import { known, type OnboardingContext } from './context.ts';

/** The folder that a container mounts; undefined where there is none, or the control plane is too old to know. */
export async function controlSocketFolder(context: OnboardingContext): Promise<string | undefined> {
  const { instances } = known(context, 'client');
  try {
    return (await instances.executorWays({ signal: context.signal })).socket_folder ?? undefined;
  } catch (error) {
    if (error instanceof VpError && (error.row.status === 404 || error.row.status === 403)) return undefined;
    throw error;
  }
}
