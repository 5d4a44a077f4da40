/**
 * Machine keys: each is valid for reading and removing the one instance it was created for, so that a machine can remove
 * what it onboarded without anybody signing in. A key is valid as long as its creator may remove the instance.
 */

import { vpError } from '../../errors/vp-error.ts';
import { mintBearer } from '../../secrets/bearer.ts';
import { findInstance } from '../../store/control/instances/instances.ts';
import { findMachineKey, insertMachineKey, type MachineKeyRow } from '../../store/control/instances/machine-keys.ts';
import { authorizationTable } from '../authorization.ts';
import type { HumanCaller, MachineCaller } from '../caller.ts';
import { hashSecret, type IdentityContext } from '../context.ts';

/** The routes have checked that the caller may remove the instance. */
export type MachineKeysService = {
  /** Creates a further key, which is returned only this once. Throws INSTANCE_UNKNOWN. */
  create(caller: HumanCaller, instance: string): Promise<string>;
  /** The caller behind a key; undefined when it is unknown or not valid. */
  authenticate(key: string, address: string): Promise<MachineCaller | undefined>;
};

export function createMachineKeysService(context: IdentityContext): MachineKeysService {
  const { database, clock, random, logSecurityEvent } = context;
  return {
    async create(caller, instance) {
      const key = mintBearer('machine', random);
      const personId = caller.kind === 'person' ? caller.personId : null;
      const fields = {
        hash: hashSecret(context, key),
        instance_id: instance,
        person_id: personId,
        nowMs: clock.nowMs(),
      };
      await database.write((sql) => {
        if (!findInstance(sql, instance)) throw vpError('INSTANCE_UNKNOWN', { instance, known: '' });
        insertMachineKey(sql, fields);
      });
      logSecurityEvent({ event: 'machine_key_made', level: 'info', instance, by: personId ?? 'owner' });
      return key;
    },
    async authenticate(key, address) {
      const row = await database.read((sql) => findMachineKey(sql, hashSecret(context, key)));
      if (row && isCreatorAuthorized(row)) return { kind: 'machine', instance: row.instance_id };
      logSecurityEvent({ event: 'machine_key_used_after_end', level: 'warn', instance: row?.instance_id, address });
      return undefined;
    },
  };
}

/** What the owner key created stays valid when the key is gone, like the instances that it created. */
function isCreatorAuthorized({
  person_id: personId,
  person_role: role,
  instance_owner_id: ownerId,
}: MachineKeyRow): boolean {
  if (personId === null || role === null) return true;
  const row: Partial<Record<typeof role, 'all' | 'own'>> = authorizationTable['instance.remove'];
  return row[role] === 'all' || (row[role] === 'own' && ownerId === personId);
}
