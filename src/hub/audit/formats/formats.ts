/** Export formats of the audit, one file each. */

import type { AuditExportFormat } from '../../../contract/hubs/audit-api.ts';
import type { AuditFormatter } from './audit-formatter.ts';
import { csvFormat } from './csv.ts';
import { jsonLinesFormat } from './json-lines.ts';
import { openTelemetryFormat } from './open-telemetry.ts';

export const auditFormatters: Readonly<Record<AuditExportFormat, AuditFormatter>> = {
  jsonl: jsonLinesFormat,
  csv: csvFormat,
  otel: openTelemetryFormat,
};
