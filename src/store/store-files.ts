/** Which stores of a data folder a backup holds, and the file of each. */
import { join } from 'node:path';
import { auditStoreKind } from './audit/audit-schema.ts';
import { controlStoreKind } from './control/schema/control-schema.ts';
import { memoryStoreKind } from './memory/memory-schema.ts';

/** In the order of copying; the control plane's store comes last, so that a backup that has it is complete. */
export const backedUpStores = [
  { name: 'audit', kind: auditStoreKind },
  { name: 'memory', kind: memoryStoreKind },
  { name: 'control', kind: controlStoreKind },
] as const;

export type BackupStoreName = (typeof backedUpStores)[number]['name'];
export const backupStoreNames: readonly BackupStoreName[] = backedUpStores.map(({ name }) => name);

export function getStoreFile(folder: string, name: BackupStoreName): string {
  return join(folder, `${name}.db`);
}

/** The file of a store in the backup `target`: the control plane's is `target` itself, others stand beside it (`x.db`, `x.audit.db`). */
export function getBackupFile(target: string, name: BackupStoreName): string {
  return name === 'control' ? target : `${target.replace(/\.db$/, '')}.${name}.db`;
}
