import { join } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { unsealAuditKey } from '../../hub/audit/audit-log.ts';
import type { AuditReadTransaction } from '../../hub/audit/verify-chains.ts';
import { loadMasterKey } from '../../secrets/master-key.ts';
import { readAuditMeta } from '../../store/audit/chains.ts';

/** Throws STORE_KEY_MISSING, STORE_KEY_WRONG. */
export async function loadAuditKey(
  read: AuditReadTransaction,
  folder: string,
  { variables, random }: Pick<Environment, 'variables' | 'random'>,
): Promise<Uint8Array> {
  const source = { file: join(folder, 'master.key'), variable: variables.VP_MASTER_KEY, mayCreate: false };
  const key = loadMasterKey(source, random);
  const sealed = await read((sql) => readAuditMeta(sql, 'key'));
  if (!key || !sealed) throw vpError('STORE_KEY_MISSING', { folder });
  return unsealAuditKey(key, sealed, folder);
}
