/** Forms in which the audit is exported; a file per form. */
import type { AuditCall, AuditFormat } from '../../../contract/hub-audit-api.ts';
import { csv } from './csv.ts';
import { jsonLines } from './json-lines.ts';
import { openTelemetry } from './open-telemetry.ts';

/** A form: what stands before everything, and the text of some calls. */
export type AuditForm = {
  readonly mediaType: string;
  readonly extension: string;
  readonly head: string;
  text(calls: readonly AuditCall[]): string;
};

/** All of them. */
export const auditForms: Readonly<Record<AuditFormat, AuditForm>> = { jsonl: jsonLines, csv, otel: openTelemetry };
