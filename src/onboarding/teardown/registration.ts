/** Removes the registration, and with it keys, tokens, scenarios and run history of the instance. */
import { toVpError } from '../../errors/vp-error.ts';
import { readMachineKey } from '../machine-keys.ts';
import { actionNeeded, type StepAction, type WorkflowStep } from '../workflow/step.ts';
import type { TeardownContext } from './context.ts';

const removedParts = 'registration, keys, tokens, scenarios and run history';

/** A failure is reported as a shortfall, so that the other steps run. */
export const registrationRemovalStep: WorkflowStep<TeardownContext> = {
  id: 'registration',
  title: removedParts,
  async check({ request }) {
    return actionNeeded(`asking ${request.controlPlane}`);
  },
  async act(context) {
    try {
      return await removeRegistration(context);
    } catch (error) {
      context.signal.throwIfAborted();
      return toShortfall(context, error);
    }
  },
};

async function removeRegistration(context: TeardownContext): Promise<StepAction> {
  const { request, ports, state, removed, signal } = context;
  const { instanceId, kit } = request;
  if (isNeverRegistered(context)) {
    state.registration = 'absent';
    return { detail: 'the onboarding ended before the registration' };
  }
  const machineKey = request.noSignIn ? await readMachineKey(kit) : undefined;
  const remove = async (key: string | undefined): Promise<boolean> => {
    const client = await ports.connect(key, signal);
    try {
      await client.instances.remove(instanceId, { signal });
      return true;
    } catch (error) {
      const { row, code } = toVpError(error);
      if (row.status === 404) return false;
      // A machine key ends with its instance, but also with the account of its creator: only another credential can tell.
      if (key !== undefined && code === 'CREDENTIAL_INVALID') return remove(undefined);
      throw error;
    }
  };
  const wasRegistered = await remove(machineKey);
  state.registration = wasRegistered ? 'removed' : 'absent';
  if (wasRegistered) removed.push(`${removedParts} of ${instanceId} at ${request.controlPlane}`);
  return {
    detail: wasRegistered ? `${instanceId} is no longer registered` : `${instanceId} was not registered`,
  };
}

/** The journal records a registration before its first request leaves, so that one without it was never sent. */
function isNeverRegistered({ facts, interruptedStep }: TeardownContext): boolean {
  return facts !== undefined && !facts.registered && interruptedStep !== 'registration';
}

function toShortfall({ request }: TeardownContext, error: unknown): StepAction {
  const { message, cure } = toVpError(error);
  const signInFlag = request.noSignIn ? ' --no-sign-in' : '';
  const command = `vp teardown --tier compose --instance-id ${request.instanceId} --control-plane ${request.controlPlane}${signInFlag}`;
  const fixText = `${cure}; then run \`${command}\` again, or \`vp instances remove ${request.instanceId} --control-plane ${request.controlPlane}\` anywhere`;
  return {
    detail: message,
    shortfall: {
      reason: `${removedParts} of ${request.instanceId} may remain: ${message}`,
      cure: fixText,
      passes: false,
    },
  };
}
