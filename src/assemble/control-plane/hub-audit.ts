/** The audit of the hubs of a control plane. */
import { join } from 'node:path';
import type { OpenControl } from '../../control/open-control.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type AuditLog, openAudit } from '../../hub/audit/audit-log.ts';
import type { AuditSettings } from '../../hub/audit/audit-settings.ts';
import { controlPlaneMetrics as definitions } from '../../metrics/metric-definitions.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { loadMasterKey } from '../../secrets/master-key.ts';

export type HubAuditDependencies = {
  readonly folder: string;
  readonly control: Pick<OpenControl, 'database' | 'clock'>;
  readonly environment: Environment;
  readonly auditSettings?: Partial<AuditSettings> | undefined;
  /** The operator accepts that entries of the audit are lost. */
  readonly isAuditLossAccepted?: boolean | undefined;
};

/** Throws STORE_*, AUDIT_LOST. */
export async function openHubAudit(
  { folder, control, environment, auditSettings, isAuditLossAccepted }: HubAuditDependencies,
  onError: (error: unknown) => void,
): Promise<AuditLog> {
  const { random, variables } = environment;
  const { clock, database } = control;
  const source = { file: join(folder, 'master.key'), variable: variables.VP_MASTER_KEY, mayCreate: false };
  const masterKey = loadMasterKey(source, random);
  if (!masterKey) throw vpError('STORE_KEY_MISSING', { folder });
  return openAudit({
    ...{ folder, masterKey, clock, random, onError },
    settings: auditSettings ?? {},
    mayDeleteByAge: () => clock.isSettled(),
    anchors: { database, mayBeLost: isAuditLossAccepted === true },
  });
}

/** Call it once per `metrics`. */
export function registerAuditMetrics(metrics: Metrics, audit: Pick<AuditLog, 'countOpenCalls' | 'unknownCalls'>): void {
  metrics.gauge(definitions.auditOpenCalls, async () => [{ labels: {}, value: await audit.countOpenCalls() }]);
  metrics.externalCounter(definitions.auditUnknownCalls, () => [{ labels: {}, value: audit.unknownCalls }]);
}
