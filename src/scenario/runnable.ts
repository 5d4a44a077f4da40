/** `### Runnable` → checks. */
import type { ReportProblem } from '../check/kind.ts';
import { type Comparisons, parseCheck } from '../check/parse-check.ts';
import type { Block, Piece } from './blocks.ts';
import { bulletOf, withoutCodeMarks } from './bullet.ts';
import type { Layer } from './layers.ts';
import type { Section } from './outline.ts';
import type { ScenarioCheck } from './scenario.ts';
import { rangeIn } from './source.ts';
import type { TemplateContext } from './template.ts';

/** As many as a report can list. */
export const maxChecks = 1000;

function bulletIn({ kind, lines: [line] }: Block, report: ReportProblem): Piece | undefined {
  const text = kind === 'text' ? bulletOf(line) : undefined;
  if (text === undefined || text.text === '') {
    report('SCENARIO_CHECK_NOT_BULLET', line.start, line.end, {});
    return undefined;
  }
  return withoutCodeMarks(text);
}

function readCheck(
  { text, start }: Piece,
  comparisons: Comparisons,
  { source, report }: TemplateContext,
): ScenarioCheck | undefined {
  const check = parseCheck(
    text,
    (code, from, to, values) => report(code, start + from, start + to, values),
    comparisons,
  );
  if (check === undefined) return undefined;
  const found = /\$\{\w+\}/.exec(text);
  if (found !== null) {
    const at = start + found.index;
    report('SCENARIO_CHECK_PLACEHOLDER', at, at + found[0].length, { placeholder: found[0] });
  }
  return { check, text, range: rangeIn(source, start, start + text.length) };
}

/** Two statuses cannot both hold; the same check twice would be counted twice. */
function reportRepeated(checks: readonly ScenarioCheck[], report: ReportProblem): void {
  const seen = new Map<string, number>();
  let status: ScenarioCheck | undefined;
  for (const check of checks) {
    const { start, end } = check.range;
    const earlier = seen.get(check.text);
    if (earlier !== undefined) {
      report('SCENARIO_CHECK_DOUBLED', start.offset, end.offset, { line: earlier });
    } else if (check.check.kind === 'status') {
      if (status !== undefined) {
        report('SCENARIO_STATUS_DOUBLED', start.offset, end.offset, { line: status.range.start.line });
      }
      status ??= check;
    }
    seen.set(check.text, earlier ?? start.line);
  }
}

/** Reads every bullet; those that are no checks are reported and left out. `layer` is undefined where it is not known. */
export function readRunnable(
  section: Section,
  layer: Layer | undefined,
  context: TemplateContext,
): readonly ScenarioCheck[] {
  const blocks = section.blocks.filter(({ kind }) => kind !== 'blank' && kind !== 'comment' && kind !== 'rule');
  const [heading] = section.heading.lines;
  if (blocks.length === 0) context.report('SCENARIO_RUNNABLE_EMPTY', heading.start, heading.end, {});
  if (blocks.length > maxChecks) {
    context.report('SCENARIO_CHECKS_TOO_MANY', heading.start, heading.end, { count: blocks.length, most: maxChecks });
    return [];
  }
  const comparisons = layer === 'HTTP Ingestion' ? 'refused' : 'allowed';
  const bullets = blocks.map((block) => bulletIn(block, context.report)).filter((bullet) => bullet !== undefined);
  const checks = bullets
    .map((bullet) => readCheck(bullet, comparisons, context))
    .filter((check) => check !== undefined);
  reportRepeated(checks, context.report);
  return checks;
}
