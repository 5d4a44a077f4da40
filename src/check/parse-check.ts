/** Text of one bullet → `Check`, or problems with their cure. */
import { suggestion } from '../errors/suggestion.ts';
import { readBodyForm } from './body-form.ts';
import { bounded, excerptLength } from './bounded.ts';
import { refuseComparison } from './comparison.ts';
import type { CheckKind, ReportProblem } from './kind.ts';
import { type Check, kinds } from './kinds.ts';

const list: readonly CheckKind<Check>[] = kinds;

function keywordMeant(written: string): string | undefined {
  const word = written.toLowerCase();
  const known = list.find((kind) => kind.keyword === word || kind.mistakes?.includes(word))?.keyword;
  const keywords = list.flatMap((kind) => kind.keyword ?? []);
  return known ?? suggestion(word, keywords);
}

function statusMeant(text: string): string | undefined {
  const [, word = '', code] =
    /^(?:http\s+)?(?:response\s+)?([a-z]+?)(?:[\s_-]*code)?\s*(?:={1,3}|:|\bis\b|\bequals\b|\bof\b)?\s*([1-5]\d\d)$/i.exec(
      text,
    ) ?? [];
  return code !== undefined && isNear(word, 'status') ? `status=${code}` : undefined;
}

/** The check with its opening words put right: `Body has`, `the body has`, `body have`, `boddy hsa`, `response body has`. */
function openingMeant(text: string): string | undefined {
  const [, first = '', second = '', rest = ''] = /^(?:the\s+|response\s+){0,2}(\S+)\s+(\S+)\s+(.*)$/i.exec(text) ?? [];
  const isOpening = isNear(first, 'body') && (isNear(second, 'has') || isNear(second, 'have'));
  if (!isOpening || text.startsWith('body has ')) return undefined;
  return `body has ${bodyMeant(`body has ${rest}`) ?? rest}`;
}

function isNear(written: string, word: string): boolean {
  return suggestion(written, [word]) !== undefined;
}

/** What should stand behind `body has `; undefined when there is nothing to put right. */
function bodyMeant(text: string): string | undefined {
  const form = readBodyForm(text);
  if (form === undefined || form.keyword.text === '') return undefined;
  if (/^(exists?|present|is present)$/.test(text.slice(form.keyword.start))) return form.field.text;
  const keyword = keywordMeant(form.keyword.text);
  return keyword === undefined ? undefined : `${form.field.text} ${keyword} ${form.operand.text}`.trimEnd();
}

function meant(text: string): string | undefined {
  if (text.length > excerptLength) return undefined;
  const body = bodyMeant(text);
  return statusMeant(text) ?? openingMeant(text) ?? (body === undefined ? undefined : `body has ${body}`);
}

function cureFor(text: string): string {
  const better = meant(text);
  if (better !== undefined && better !== text) return `did you mean \`${bounded(better)}\`?`;
  return `a check is one of: ${list.map((kind) => `\`${kind.form}\``).join(', ')}`;
}

function reportUnknown(text: string, report: ReportProblem): void {
  const keyword = readBodyForm(text)?.keyword;
  const at = keyword === undefined || keyword.text === '' ? { start: 0, end: text.length } : keyword;
  report('SCENARIO_CHECK_UNKNOWN', at.start, at.end, { check: bounded(text), cure: cureFor(text) });
}

/** Parses a check; undefined after every problem was reported. `text` is one line, trimmed; offsets count in it. */
export function parseCheck(text: string, report: ReportProblem): Check | undefined {
  for (const kind of list) {
    const check = kind.parse(text, report);
    if (check !== undefined) return check === 'refused' ? undefined : check;
  }
  if (!refuseComparison(text, report)) reportUnknown(text, report);
  return undefined;
}
