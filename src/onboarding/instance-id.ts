/** Which instance id an onboarding gets. */
import { appendInstanceNumber, isInstanceId } from '../contract/instance-id.ts';
import { vpError } from '../errors/vp-error.ts';

/** `own`: an instance of this machine; `taken`: of another one. */
export type InstanceIdStatus = 'free' | 'own' | 'taken';

/**
 * The requested id if it is free or this machine's own, else the first such id with `-v1`, `-v2`, … Throws INSTANCE_ID_INVALID.
 */
export async function selectInstanceId(
  requestedId: string,
  getStatus: (id: string) => Promise<InstanceIdStatus>,
): Promise<string> {
  if (!isInstanceId(requestedId)) throw vpError('INSTANCE_ID_INVALID', { instance: requestedId });
  for (let number = 0; ; number += 1) {
    const id = number === 0 ? requestedId : appendInstanceNumber(requestedId, number);
    if ((await getStatus(id)) !== 'taken') return id;
  }
}
