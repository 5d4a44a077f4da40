/**
 * Keys of machines: each is good for reading and removing the one instance that it was made for, so that a machine can
 * take down what it onboarded while nobody is there to sign in. Made by somebody who may remove the instance, it holds
 * as long as they may.
 */
import { vpError } from '../errors/vp-error.ts';
import { mintBearer } from '../secrets/bearer.ts';
import { findInstance } from '../store/control/instances.ts';
import { findMachineKey, insertMachineKey, type MachineKeyRow } from '../store/control/machine-keys.ts';
import { authorization } from './authorization.ts';
import type { HumanCaller, MachineCaller } from './caller.ts';
import { hashOf, type IdentityContext } from './context.ts';

/** Keys of instances; that the caller may remove the instance has been seen before. */
export type MachineKeys = {
  /** A further key, told this once. Throws INSTANCE_UNKNOWN. */
  make(caller: HumanCaller, instance: string): Promise<string>;
  /** What a key stands for; undefined when it is unknown or does not hold. */
  use(key: string, address: string): Promise<MachineCaller | undefined>;
};

/** See {@link MachineKeys}. */
export function machineKeysOf(context: IdentityContext): MachineKeys {
  const { database, clock, random, tell } = context;
  return {
    async make(caller, instance) {
      const key = mintBearer('machine', random);
      const personId = caller.kind === 'person' ? caller.personId : null;
      const facts = { hash: hashOf(context, key), instance_id: instance, person_id: personId, nowMs: clock.nowMs() };
      await database.write((sql) => {
        if (!findInstance(sql, instance)) throw vpError('INSTANCE_UNKNOWN', { instance, known: '' });
        insertMachineKey(sql, facts);
      });
      tell({ event: 'machine_key_made', level: 'info', instance, by: personId ?? 'owner' });
      return key;
    },
    async use(key, address) {
      const row = await database.read((sql) => findMachineKey(sql, hashOf(context, key)));
      if (row && makerMayStill(row)) return { kind: 'machine', instance: row.instance_id };
      tell({ event: 'machine_key_used_after_end', level: 'warn', instance: row?.instance_id, address });
      return undefined;
    },
  };
}

/** What the owner key made goes on without it, as the instances that it made do. */
function makerMayStill({ person_id: personId, person_role: role, instance_owner_id: ownerId }: MachineKeyRow): boolean {
  if (personId === null || role === null) return true;
  const row: Partial<Record<typeof role, 'all' | 'own'>> = authorization['instance.remove'];
  return row[role] === 'all' || (row[role] === 'own' && ownerId === personId);
}
