/** Removes the registration, and with it keys, tokens, scenarios and run history of the instance. */
import { toVpError } from '../../errors/vp-error.ts';
import { readMachineKey } from '../machine-keys.ts';
import { actionNeeded, type StepAction, type WorkflowStep } from '../workflow/step.ts';
import type { TeardownContext } from './context.ts';

const removedParts = 'registration, keys, tokens, scenarios and run history';

/** A failure is reported as a shortfall, so that the other steps run. */
export const registrationStep: WorkflowStep<TeardownContext> = {
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
  const { instanceId, noSignIn, kit } = request;
  const machineKey = noSignIn ? await readMachineKey(kit) : undefined;
  if (noSignIn && machineKey === undefined && !context.facts) return skipWithoutKit(context);
  const client = await ports.connect(machineKey, signal);
  const wasRegistered = await client.instances.remove(instanceId, { signal }).then(
    () => true,
    (error: unknown) => {
      const { row, code } = toVpError(error);
      // A machine key is revoked with its instance, so an invalid one means that the instance was removed.
      if (row.status === 404 || (machineKey !== undefined && code === 'CREDENTIAL_INVALID')) return false;
      throw error;
    },
  );
  state.isUnregistered = true;
  if (wasRegistered) removed.push(`${removedParts} of ${instanceId} at ${request.controlPlane}`);
  return {
    detail: wasRegistered ? `${instanceId} is no longer registered` : `${instanceId} was not registered`,
  };
}

/** An earlier teardown removes the kit and its key only after the registration. */
function skipWithoutKit({ request, state, retained }: TeardownContext): StepAction {
  state.isUnregistered = true;
  const why = 'not removed, because this machine has no kit of it; see `vp instances`';
  retained.push({ what: `registration of ${request.instanceId} at ${request.controlPlane}, if there is one`, why });
  return { detail: 'no kit and no machine key on this machine' };
}

function toShortfall({ request, retained }: TeardownContext, error: unknown): StepAction {
  const { message, cure } = toVpError(error);
  const signInFlag = request.noSignIn ? ' --no-sign-in' : '';
  const command = `vp teardown --tier compose --instance-id ${request.instanceId} --control-plane ${request.controlPlane}${signInFlag}`;
  const fixText = `${cure}; then run \`${command}\` again, or \`vp instances remove ${request.instanceId}\` anywhere`;
  retained.push({ what: `${removedParts} at ${request.controlPlane}`, why: message });
  return { detail: message, shortfall: { reason: `${removedParts} remain: ${message}`, cure: fixText, passes: false } };
}
