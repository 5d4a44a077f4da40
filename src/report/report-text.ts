import type { Report } from './report.ts';

/** A larger text is not worth the memory while its report is being handed in. */
const maxCachedLength = 65_536;

const texts = new WeakMap<Report, string>();

/** The JSON of a report, which nobody changes any more: the executor stores the same text that it sends. */
export function formatReportJson(report: Report): string {
  const cached = texts.get(report);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(report);
  if (text.length <= maxCachedLength) texts.set(report, text);
  return text;
}
