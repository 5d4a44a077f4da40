/** The audit of a copy must verify before the copy is valid. */
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createChainKeys } from '../../hub/audit/audit-log.ts';
import { verifyChains } from '../../hub/audit/verify-chains.ts';
import { listAuditChains, readAuditMeta } from '../../store/audit/chains.ts';
import type { AuditVerification } from '../../store/copy/move-stores.ts';
import { loadAuditKey } from '../audit/audit-key.ts';

/** `verified` counts, so that a report can say what was examined. */
export type CopiedAudit = {
  readonly verify: AuditVerification;
  readonly verified: { chains: number; entries: number };
};

/** `verify` throws STORE_KEY_MISSING, STORE_KEY_WRONG, STORE_COPY_AUDIT_FAULT. */
export function createCopiedAudit(
  folder: string,
  environment: Pick<Environment, 'variables' | 'random'>,
  onProgress: (entries: number) => void,
): CopiedAudit {
  const verified = { chains: 0, entries: 0 };
  const verify: AuditVerification = async (read) => {
    const isUnused = await read((sql) => !readAuditMeta(sql, 'key') && listAuditChains(sql).length === 0);
    if (isUnused) return;
    const keys = createChainKeys(await loadAuditKey(read, folder, environment));
    let entries = 0;
    const chains = await verifyChains(read, keys, (count) => {
      entries += count;
      onProgress(entries);
    });
    for (const { hub, hubId, faults } of chains) {
      const [fault] = faults;
      if (fault) throw vpError('STORE_COPY_AUDIT_FAULT', { hub: hub ?? hubId, problem: fault.problem });
    }
    Object.assign(verified, { chains: chains.length, entries });
  };
  return { verify, verified };
}
