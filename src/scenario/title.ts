/** `# Scenario: <METHOD> <path-name>` */
import type { ReportProblem } from '../check/check-kind.ts';
import type { Heading } from './blocks.ts';
import { type Method, methods } from './scenario.ts';

const form = /^scenario\s*:\s*(.*)$/i;

/** The text after `Scenario:`; undefined if a problem was reported. `method` is that of the trigger, if known. */
export function readTitle(
  heading: Heading | undefined,
  method: Method | undefined,
  report: ReportProblem,
): string | undefined {
  if (heading === undefined) return undefined;
  const { text, start } = heading.name;
  const title = form.exec(text)?.[1] ?? '';
  const [word = '', ...name] = title.split(/\s+/);
  const end = start + text.length;
  if (!methods.some((each) => each === word) || name.length === 0) {
    if (/^scenario/i.test(text)) report('SCENARIO_TITLE_INVALID', start, end, { title: text.slice(0, 100) });
    return undefined;
  }
  if (method !== undefined && word !== method) report('SCENARIO_TITLE_METHOD', start, end, { word, method });
  return title;
}
