/** The registration: with it go keys, tokens, scenarios and run history of the instance. */
import { asVpError } from '../../errors/vp-error.ts';
import { type Act, type Step, todo } from '../engine/step.ts';
import { machineKeyIn } from '../machine-key.ts';
import type { TeardownContext } from './context.ts';

const parts = 'registration, keys, tokens, scenarios and run history';

/** The step. What it cannot do is told, and the rest is taken away all the same. */
export const registrationStep: Step<TeardownContext> = {
  id: 'registration',
  title: parts,
  async check({ asked }) {
    return todo(`asking ${asked.controlPlane}`);
  },
  async act(context) {
    try {
      return await removed(context);
    } catch (error) {
      context.signal.throwIfAborted();
      return remains(context, error);
    }
  },
};

async function removed(context: TeardownContext): Promise<Act> {
  const { asked, ports, state, removed, signal } = context;
  const { instanceId, noSignIn, kit } = asked;
  const key = noSignIn ? await machineKeyIn(kit) : undefined;
  if (noSignIn && key === undefined && !context.facts) return notAsked(context);
  const client = await ports.connect(key, signal);
  const isThere = await client.instances.remove(instanceId, { signal }).then(
    () => true,
    (error: unknown) => {
      const { row, code } = asVpError(error);
      // A machine key ends with its instance: that is how it says that the instance is gone.
      if (row.status === 404 || (key !== undefined && code === 'CREDENTIAL_INVALID')) return false;
      throw error;
    },
  );
  state.isUnregistered = true;
  if (isThere) removed.push(`${parts} of ${instanceId} at ${asked.controlPlane}`);
  return { detail: isThere ? `${instanceId} is no longer registered` : `${instanceId} was not registered any more` };
}

/** Where an earlier teardown has taken the kit, its key went with the registration. */
function notAsked({ asked, state, kept }: TeardownContext): Act {
  state.isUnregistered = true;
  const why = 'not asked, because this machine has no kit of it; see `vp instances`';
  kept.push({ what: `registration of ${asked.instanceId} at ${asked.controlPlane}, if there is one`, why });
  return { detail: 'no kit here, and so no key' };
}

function remains({ asked, kept }: TeardownContext, error: unknown): Act {
  const { message, cure } = asVpError(error);
  const again = asked.noSignIn ? ' --no-sign-in' : '';
  const command = `vp teardown --tier compose --instance-id ${asked.instanceId} --control-plane ${asked.controlPlane}${again}`;
  const how = `${cure}; then run \`${command}\` again, or \`vp instances remove ${asked.instanceId}\` anywhere`;
  kept.push({ what: `${parts} at ${asked.controlPlane}`, why: message });
  return { detail: message, shortfall: { reason: `${parts} remain: ${message}`, cure: how, passes: false } };
}
