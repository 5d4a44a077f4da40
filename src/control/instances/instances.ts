import { isInstanceId, proposeFreeInstanceId } from '../../contract/instance-id.ts';
import { vpError } from '../../errors/vp-error.ts';
import { hashBearer, mintBearer } from '../../secrets/bearer.ts';
import { findKnownJournal } from '../../store/control/instances/executor-journals.ts';
import { deleteInstance, deleteRunBatch, revokeInstanceKeys } from '../../store/control/instances/instance-removal.ts';
import {
  findInstance,
  hasInstance,
  type InstanceRow,
  insertInstance,
  listInstances,
  replaceInstanceKey,
} from '../../store/control/instances/instances.ts';
import type { Sql } from '../../store/sql.ts';
import type { Actor, InstancesService } from '../control.ts';
import type { ControlRuntime } from '../runtime.ts';
import { toInstance } from '../wire.ts';

/** Throws INSTANCE_UNKNOWN, which lists the registered ones. */
export function requireInstance(sql: Sql, id: string): InstanceRow {
  const row = findInstance(sql, id);
  return row ?? throwUnknown(sql, id);
}

/** The same for those who need nothing of its row. */
export function assertInstance(sql: Sql, id: string): void {
  if (!hasInstance(sql, id)) throwUnknown(sql, id);
}

function throwUnknown(sql: Sql, id: string): never {
  const ids = listInstances(sql).map((instance) => instance.id);
  const known = ids.length === 0 ? '; none is registered yet' : `; there are: ${ids.slice(0, 10).join(', ')}`;
  throw vpError('INSTANCE_UNKNOWN', { instance: id, known });
}

export function createInstancesService(runtime: ControlRuntime): InstancesService {
  const { store, clock, random, settings, keyring } = runtime.context;
  const toResponse = (row: InstanceRow) => toInstance(row, runtime.presence.get(row), settings.recommendedVersion);
  const mintKey = () => {
    const key = mintBearer('executor', random);
    return { key, hash: hashBearer(key, keyring.tokenHashKey) };
  };

  async function create(input: Parameters<InstancesService['create']>[0], actor: Actor) {
    const { instance_id: id, tier = 'compose', executor_port: executorPort } = input;
    if (!isInstanceId(id)) throw vpError('INSTANCE_ID_INVALID', { instance: id });
    const { key, hash } = mintKey();
    const row = await store.database.write((sql) => {
      const nowMs = clock.nowMs();
      const newInstance = {
        id,
        tier,
        executorPort,
        keyHash: hash,
        createdBy: actor.name,
        ownerId: actor.personId,
        nowMs,
      };
      if (insertInstance(sql, store.counters, newInstance)) return requireInstance(sql, id);
      const isTaken = (name: string): boolean => findInstance(sql, name) !== undefined;
      throw vpError('INSTANCE_ID_TAKEN', { instance: id, proposal: proposeFreeInstanceId(id, isTaken) });
    });
    return { instance: toResponse(row), executor_key: key };
  }

  async function remove(id: string, onRevoked?: () => void): Promise<void> {
    const { database, counters } = store;
    const endedHash = await database.write((sql) => {
      requireInstance(sql, id);
      const known = findKnownJournal(sql, id);
      revokeInstanceKeys(sql, counters, id);
      return known?.key_hash ?? '';
    });
    runtime.keyChanges.notify({ hash: endedHash, by: 'removal of its instance' });
    onRevoked?.();
    runtime.queueWakeups.wake(id);
    const removeNext = (sql: Sql): boolean => {
      if (deleteRunBatch(sql, counters, id)) return true;
      // In the same transaction: a run that was requested in between would stay behind.
      deleteInstance(sql, counters, id);
      return false;
    };
    while (await database.write(removeNext));
    runtime.presence.forget(id);
    runtime.sessions.forget(id);
  }

  return {
    create,
    remove,
    list: async () => (await store.database.read(listInstances)).map(toResponse),
    get: async (id) => toResponse(await store.database.read((sql) => requireInstance(sql, id))),
    async rotateKey(id) {
      const { key, hash } = mintKey();
      const endedHash = await store.database.write((sql) => {
        requireInstance(sql, id);
        const known = findKnownJournal(sql, id);
        replaceInstanceKey(sql, store.counters, id, hash);
        return known?.key_hash ?? '';
      });
      runtime.keyChanges.notify({ hash: endedHash, by: 'replacement' });
      // A poll that waits with the key before would be given the next run.
      runtime.queueWakeups.wake(id);
      return { executor_key: key };
    },
  };
}
