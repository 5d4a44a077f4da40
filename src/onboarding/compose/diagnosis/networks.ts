/** Whether a container is in the networks that it needs, as they are now: a network that was created again has another id. */
import type { ContainerEngine } from '../../../containers/engine.ts';
import { findNetworkId, readNetworkIds } from '../../../containers/engine-resources.ts';

/** The networks of `names` that the container is not in, or only in an earlier one of that name. */
export async function listMissedNetworks(
  engine: ContainerEngine,
  container: string,
  names: readonly string[],
): Promise<string[]> {
  const attachedIds = await readNetworkIds(engine, container);
  const currentIds = await Promise.all(names.map((name) => findNetworkId(engine, name)));
  return names.filter((name, index) => {
    const currentId = currentIds[index];
    // A network that does not exist is reported by those who need it.
    return currentId !== undefined && attachedIds.get(name) !== currentId;
  });
}
