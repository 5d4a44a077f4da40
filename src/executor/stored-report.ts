import type { Static } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { ReportSchema } from '../contract/report-schema.ts';
import type { Report } from '../report/report.ts';

let check: ReturnType<typeof TypeCompiler.Compile<typeof ReportSchema>> | undefined;

/** A report as the outbox kept it; undefined when it is none (an older version may have written it otherwise). */
export function parseStoredReport(text: string): Report | undefined {
  const value: unknown = JSON.parse(text);
  check ??= TypeCompiler.Compile(ReportSchema);
  const report: Static<typeof ReportSchema> | undefined = check.Check(value) ? value : undefined;
  return report;
}
