/** Limits of the text of every scenario: length and characters. */
import type { ReportProblem } from '../check/check-kind.ts';

/** Longest text of a scenario, in UTF-16 units; the wire has the same limit (contract). */
export const maxTextLength = 262_144;

/** Control characters (Unicode Cc) without tab, LF and CR. */
const control = /[^\P{Cc}\t\n\r]/gu;
/** A CR that does not belong to a line ending. */
const loneReturn = /\r(?!\n)/g;

function isUnreadable(text: string, report: ReportProblem): boolean {
  if (text.length > maxTextLength) {
    report('SCENARIO_TOO_LARGE', 0, 0, { length: text.length, max: maxTextLength });
    return true;
  }
  const nul = text.indexOf('\0');
  if (nul !== -1) report('SCENARIO_BINARY', nul, nul + 1, {});
  else if (/^\uFEFF?\s*$/.test(text)) report('SCENARIO_EMPTY', 0, 0, {});
  else return false;
  return true;
}

/** Reports violations; false if parsing must not continue. */
export function checkTextLimits(text: string, report: ReportProblem): boolean {
  if (isUnreadable(text, report)) return false;
  for (const { index } of text.matchAll(loneReturn)) report('SCENARIO_LONE_CR', index, index + 1, {});
  for (const { index, 0: sign } of text.matchAll(control)) {
    const point = sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    report('SCENARIO_CONTROL_CHARACTER', index, index + 1, { point: `U+${point}` });
  }
  return true;
}
