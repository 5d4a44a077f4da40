import { ReportSchema } from '../contract/report-schema.ts';
import { validatorOf } from '../http/validator.ts';
import type { Report } from '../report/report.ts';

const validator = validatorOf<Report>(ReportSchema);

/** A report as the outbox kept it; undefined when it is none (another version may have written it otherwise). */
export function parseStoredReport(text: string): Report | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return validator.accepts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
