/** Parses `### Runnable` into checks. */
import type { CheckKind, ReportProblem } from '../check/check-kind.ts';
import { getCheckKind } from '../check/kinds.ts';
import { type ComparisonPolicy, parseCheck } from '../check/parse-check.ts';
import type { Block, LinePiece } from './blocks.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import type { Layer } from './layers.ts';
import type { Section } from './outline.ts';
import type { ScenarioCheck } from './scenario.ts';
import { toRange } from './source.ts';
import type { TemplateContext } from './template.ts';

/** Maximum that a report can list. */
const maxChecks = 1000;

function bulletIn({ kind, lines: [line] }: Block, report: ReportProblem): LinePiece | undefined {
  const text = kind === 'text' ? parseBullet(line) : undefined;
  if (text === undefined || text.text === '') {
    report('SCENARIO_CHECK_NOT_BULLET', line.start, line.end, {});
    return undefined;
  }
  return stripCodeMarks(text);
}

function readCheck(
  { text, start }: LinePiece,
  comparisons: ComparisonPolicy,
  kinds: readonly CheckKind[] | undefined,
  { source, report }: TemplateContext,
): ScenarioCheck | undefined {
  const check = parseCheck(
    text,
    (code, from, end, values) => report(code, start + from, start + end, values),
    comparisons,
    kinds,
  );
  if (check === undefined) return undefined;
  const match = /\$\{\w+\}/.exec(text);
  if (match !== null) {
    const offset = start + match.index;
    report('SCENARIO_CHECK_PLACEHOLDER', offset, offset + match[0].length, { placeholder: match[0] });
  }
  return { check, definition: getCheckKind(check, kinds), text, range: toRange(source, start, start + text.length) };
}

/** Two different statuses can never both pass; a repeated check would be counted twice. */
function reportRepeated(checks: readonly ScenarioCheck[], report: ReportProblem): void {
  const linesByCheck = new Map<string, number>();
  let status: ScenarioCheck | undefined;
  for (const check of checks) {
    const { start, end } = check.range;
    const earlier = linesByCheck.get(check.text);
    if (earlier !== undefined) {
      report('SCENARIO_CHECK_DOUBLED', start.offset, end.offset, { line: earlier });
    } else if (check.definition.expectedStatus !== undefined) {
      if (status !== undefined) {
        report('SCENARIO_STATUS_DOUBLED', start.offset, end.offset, { line: status.range.start.line });
      }
      status ??= check;
    }
    linesByCheck.set(check.text, earlier ?? start.line);
  }
}

/** Parses every bullet; those that are not checks are reported and omitted. `layer` is undefined if it is not known. */
export function readRunnable(
  section: Section,
  layer: Layer | undefined,
  context: TemplateContext,
  kinds?: readonly CheckKind[],
): readonly ScenarioCheck[] {
  const blocks = section.blocks.filter(({ kind }) => kind !== 'blank' && kind !== 'comment' && kind !== 'rule');
  const [heading] = section.heading.lines;
  if (blocks.length === 0) context.report('SCENARIO_RUNNABLE_EMPTY', heading.start, heading.end, {});
  if (blocks.length > maxChecks) {
    context.report('SCENARIO_CHECKS_TOO_MANY', heading.start, heading.end, { count: blocks.length, max: maxChecks });
    return [];
  }
  const comparisons = layer === 'HTTP Ingestion' ? 'refused' : 'allowed';
  const bullets = blocks.map((block) => bulletIn(block, context.report)).filter((bullet) => bullet !== undefined);
  const checks = bullets
    .map((bullet) => readCheck(bullet, comparisons, kinds, context))
    .filter((check) => check !== undefined);
  reportRepeated(checks, context.report);
  return checks;
}
