/** Limits of the text of every scenario: length and characters. */
import type { ReportProblem } from '../check/check-kind.ts';

/** Longest text of a scenario as its author writes it, in UTF-16 units. */
export const maxTextLength = 262_144;
/** With the files that it uses; the wire has the same limit (contract). */
export const maxCompleteLength = 1_048_576;

/** Like the heading of the section, but also within a fence: such a text is only taken for a shorter one. */
const filesHeading = /^ {0,3}##[ \t]+FILES[ \t#]*$/m;
const fileHeading = /^### +(\S+)$/gm;

/** Control characters (Unicode Cc) without tab, LF and CR. */
const control = /[^\P{Cc}\t\n\r]/gu;
/** A CR that does not belong to a line ending. */
const loneReturn = /\r(?!\n)/g;

/** The file that takes the most of the text after `start`. */
function findLargestFile(text: string, start: number) {
  fileHeading.lastIndex = start;
  const headings = [...text.matchAll(fileHeading)];
  const files = headings.map(({ index, 1: name = '' }, position) => ({
    name,
    length: (headings[position + 1]?.index ?? text.length) - index,
  }));
  return files.sort((a, b) => b.length - a.length)[0] ?? { name: 'FILES', length: text.length - start };
}

function isTooLong(text: string, report: ReportProblem): boolean {
  if (text.length <= maxTextLength) return false;
  const start = text.match(filesHeading)?.index ?? text.length;
  if (start > maxTextLength) report('SCENARIO_TOO_LARGE', 0, 0, { length: start, max: maxTextLength });
  else if (text.length > maxCompleteLength) {
    const { name, length } = findLargestFile(text, start);
    const values = { length: text.length, max: maxCompleteLength, file: name, file_length: length };
    report('SCENARIO_FILES_TOO_LARGE', 0, 0, values);
  } else return false;
  return true;
}

function isUnreadable(text: string, report: ReportProblem): boolean {
  if (isTooLong(text, report)) return true;
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
