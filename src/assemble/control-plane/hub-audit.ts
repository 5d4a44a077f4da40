/** The audit of the hubs of a control plane. */
import { join } from 'node:path';
import type { OpenControl } from '../../control/open-control.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { AnchorPublisher } from '../../hub/audit/anchor-publisher.ts';
import { type AuditLog, openAudit } from '../../hub/audit/audit-log.ts';
import { type AuditSettings, defaultAuditSettings } from '../../hub/audit/audit-settings.ts';
import type { AnchorKey } from '../../hub/audit/signing/anchor-key.ts';
import { controlPlaneMetrics as definitions } from '../../metrics/metric-definitions.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { loadMasterKey } from '../../secrets/master-key.ts';
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import { waitAtMost } from '../../timing/timeout.ts';
import type { ProcessLog } from '../process-log.ts';
import { type AnchorDestination, createAnchorTarget } from './audit-anchor-targets.ts';
import { createTimeStamper, type TimeStampAuthority } from './audit-time-stamper.ts';

export type HubAuditDependencies = {
  readonly folder: string;
  readonly control: Pick<OpenControl, 'database' | 'clock'>;
  readonly environment: Environment;
  readonly auditSettings?: Partial<AuditSettings> | undefined;
  /** The operator accepts that entries of the audit are lost. */
  readonly isAuditLossAccepted?: boolean | undefined;
  readonly auditAnchoring?: AuditAnchoring | undefined;
  /** On PostgreSQL. */
  readonly auditDatabase?: AuditDatabase | undefined;
  readonly log: ProcessLog;
};

/** Statements about the audit are published at an interval. */
export type AuditAnchoring = {
  readonly destinations: readonly AnchorDestination[];
  readonly key: AnchorKey | undefined;
  readonly timeStamps?: TimeStampAuthority | undefined;
  readonly intervalMs: number;
  readonly extraRoots: readonly string[];
};

/** Engines of containers kill after 10 seconds what has not ended. */
const maxClosingMs = 5000;

/** Throws STORE_*, AUDIT_LOST. */
export async function openHubAudit(
  dependencies: HubAuditDependencies,
  onError: (error: unknown) => void,
): Promise<AuditLog> {
  const { folder, control, environment, auditSettings, isAuditLossAccepted } = dependencies;
  const { random, variables } = environment;
  const { clock, database } = control;
  const source = { file: join(folder, 'master.key'), variable: variables.VP_MASTER_KEY, mayCreate: false };
  const masterKey = loadMasterKey(source, random);
  if (!masterKey) throw vpError('STORE_KEY_MISSING', { folder });
  const audit = await openAudit({
    ...{ folder, masterKey, clock, random, onError, database: dependencies.auditDatabase },
    settings: auditSettings ?? {},
    mayDeleteByAge: () => clock.isSettled(),
    anchors: { database, mayBeLost: isAuditLossAccepted === true },
  });
  return dependencies.auditAnchoring ? publishAnchors(audit, dependencies.auditAnchoring, dependencies) : audit;
}

/** The last statement is published before the audit is closed, unless its key, server or place takes too long. */
function publishAnchors(
  audit: AuditLog,
  { destinations, key, timeStamps, intervalMs, extraRoots }: AuditAnchoring,
  { control: { clock }, environment, auditSettings, log }: HubAuditDependencies,
): AuditLog {
  const { variables, random } = environment;
  const connection = { clock, variables, extraRoots };
  const publisher = new AnchorPublisher({
    readEnds: () => audit.ends(),
    readUsedBytes: () => audit.usedBytes(),
    targets: destinations.map((destination) => createAnchorTarget(destination, { log, ...connection })),
    key,
    stamper: timeStamps && createTimeStamper(timeStamps, { ...connection, random }),
    limits: { ...defaultAuditSettings, ...auditSettings },
    clock,
    intervalMs,
    onTargetState(target, error) {
      if (error === undefined) log.info({ target }, 'the audit is anchored again');
      else log.error({ err: error, target }, 'the audit could not be anchored');
    },
  });
  void publisher.publish();
  return {
    ...audit,
    async close() {
      await audit.syncToDisk();
      await waitAtMost(clock, maxClosingMs, publisher.close());
      await audit.close();
    },
  };
}

/** Call it once per `metrics`. */
export function registerAuditMetrics(metrics: Metrics, audit: Pick<AuditLog, 'countOpenCalls' | 'unknownCalls'>): void {
  metrics.gauge(definitions.auditOpenCalls, async () => [{ labels: {}, value: await audit.countOpenCalls() }]);
  metrics.externalCounter(definitions.auditUnknownCalls, () => [{ labels: {}, value: audit.unknownCalls }]);
}
