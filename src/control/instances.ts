/** Registering, listing and removing instances. */
import { vpError } from '../errors/vp-error.ts';
import { bearerHash, mintBearer } from '../secrets/bearer.ts';
import {
  findInstance,
  type InstanceRow,
  insertInstance,
  listInstances,
  replaceInstanceKey,
} from '../store/control/instances.ts';
import { deleteInstance, deleteSomeRuns, disarmInstance } from '../store/control/removal.ts';
import type { Sql } from '../store/sql.ts';
import type { Actor, Instances } from './control.ts';
import { freeProposal, isInstanceId } from './instance-id.ts';
import type { ControlParts } from './parts.ts';
import { wireInstance } from './wire.ts';

/** The row of a registered instance. Throws INSTANCE_UNKNOWN that lists the known ones. */
export function requireInstance(sql: Sql, id: string): InstanceRow {
  const row = findInstance(sql, id);
  if (row) return row;
  const ids = listInstances(sql).map((instance) => instance.id);
  const known = ids.length === 0 ? '; none is registered yet' : `; there are: ${ids.slice(0, 10).join(', ')}`;
  throw vpError('INSTANCE_UNKNOWN', { instance: id, known });
}

/** The instances of a control plane. */
export function instancesOf(parts: ControlParts): Instances {
  const { store, clock, random, settings, keyring } = parts.context;
  const wire = (row: InstanceRow) => wireInstance(row, parts.presences.of(row), settings.recommendedVersion);
  const mint = () => {
    const key = mintBearer('executor', random);
    return { key, hash: bearerHash(key, keyring.tokenHashKey) };
  };

  async function create(input: Parameters<Instances['create']>[0], actor: Actor) {
    const { instance_id: id, tier = 'compose', executor_port: executorPort } = input;
    if (!isInstanceId(id)) throw vpError('INSTANCE_ID_INVALID', { instance: id });
    const { key, hash } = mint();
    const row = await store.database.write((sql) => {
      const nowMs = clock.nowMs();
      const facts = { id, tier, executorPort, keyHash: hash, createdBy: actor.name, ownerId: actor.personId, nowMs };
      if (insertInstance(sql, store.counters, facts)) return requireInstance(sql, id);
      const taken = (name: string): boolean => findInstance(sql, name) !== undefined;
      throw vpError('INSTANCE_ID_TAKEN', { instance: id, proposal: freeProposal(id, taken) });
    });
    return { instance: wire(row), executor_key: key };
  }

  async function remove(id: string): Promise<void> {
    const { database, counters } = store;
    await database.write((sql) => {
      requireInstance(sql, id);
      disarmInstance(sql, counters, id);
    });
    parts.queueWakes.wake(id);
    while (await database.write((sql) => deleteSomeRuns(sql, counters, id)));
    await database.write((sql) => deleteInstance(sql, counters, id));
    parts.presences.forget(id);
  }

  return {
    create,
    remove,
    list: async () => (await store.database.read(listInstances)).map(wire),
    get: async (id) => wire(await store.database.read((sql) => requireInstance(sql, id))),
    async rotateKey(id) {
      const { key, hash } = mint();
      await store.database.write((sql) => {
        requireInstance(sql, id);
        replaceInstanceKey(sql, store.counters, id, hash);
      });
      return { executor_key: key };
    },
  };
}
