/** Diagnostics of several scenario texts, equal ones merged: an agent makes the same mistake in each of its texts. */
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { takeWithinLength, truncate } from '../tools/result-text.ts';

/** `label`: the scenario's id, or its position where it has none. */
export type TextDiagnostics = { readonly label: string; readonly diagnostics: readonly Diagnostic[] };

const limits = { count: 30, all: 7000, locations: 20 } as const;

export function mergeDiagnostics(texts: readonly TextDiagnostics[]) {
  const merged = new Map<string, { readonly first: Diagnostic; readonly at: string[] }>();
  for (const { label, diagnostics } of texts) {
    for (const diagnostic of diagnostics) {
      const key = [diagnostic.code, diagnostic.message, diagnostic.cure].join('\n');
      const entry = merged.get(key) ?? { first: diagnostic, at: [] };
      entry.at.push(`${label}:${diagnostic.range.start.line}`);
      merged.set(key, entry);
    }
  }
  const entries = [...merged.values()].map(({ first: { severity, code, message, cure }, at }) => ({
    severity,
    code,
    message: truncate(message, 400),
    cure: truncate(cure, 400),
    at: at.slice(0, limits.locations),
    count: at.length,
  }));
  // Errors first: they refuse a text.
  const ordered = entries.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
  const reported = takeWithinLength(ordered.slice(0, limits.count), limits.all);
  return { entries: reported, leftOut: ordered.length - reported.length };
}

export function formatMergedDiagnostics({ entries, leftOut }: ReturnType<typeof mergeDiagnostics>): string {
  const lines = entries.map(({ severity, code, message, cure, at, count }) => {
    const more = count > at.length ? ` and ${count - at.length} more` : '';
    return `${severity} ${code} at ${at.join(', ')}${more}: ${message}\n  fix: ${cure}`;
  });
  return [...lines, ...(leftOut > 0 ? [`${leftOut} more; fix these first.`] : [])].join('\n');
}

/** The id that a text gives itself, or its position in the request. */
export function labelText(text: string, index: number): string {
  return /^[-*+]\s+\W*ID\W*:\s*\W?([\w.-]{1,100})/im.exec(text)?.[1] ?? `text ${index + 1}`;
}
