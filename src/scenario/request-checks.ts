/**
 * Reads the bullets of one request: its checks, its captures, the check until which it is repeated, and how its stream is received.
 * Length: one reader for all bullets of a request, because some of them exclude each other.
 */
import type { Check, CheckKind, ReportProblem } from '../check/check-kind.ts';
import { getCheckKind } from '../check/kinds.ts';
import { type ComparisonPolicy, parseCheck } from '../check/parse-check.ts';
import type { Block, LinePiece } from './blocks.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import { type Capture, captureKind, createCaptureCheck, parseCaptureSource, splitCapture } from './capture.ts';
import { parseEvidenceCapture } from './capture-evidence.ts';
import { fillSamples, hasPlaceholdersInOperand, splitCheckText } from './check-template.ts';
import { checkConcurrent, readConcurrent, startsWithConcurrent } from './concurrent.ts';
import { findFileAt, getFileText, resolveName } from './embedded-files.ts';
import { formatTemplate } from './format-template.ts';
import type { Layer } from './layers.ts';
import type { Section } from './outline.ts';
import { createReceiveCheck, readReceive, receiveKind, startsWithReceive } from './receive.ts';
import type { Method, Receive, ResponseChecks, ScenarioCheck, Template, Until } from './scenario.ts';
import { type SourceLine, toRange } from './source.ts';
import { builtInPlaceholders, type TemplateContext } from './template.ts';
import { checkUntil, readUntil, startsWithUntil } from './until.ts';

/** Maximum that a report can list. */
const maxChecks = 1000;

/** The request that the bullets belong to. `captureNames` are those used before; names are added. */
export type CheckScope = {
  /** Undefined if it is not known. */
  readonly layer: Layer | undefined;
  readonly kinds: readonly CheckKind[] | undefined;
  readonly method: Method | undefined;
  readonly path: Template | undefined;
  readonly captureNames: string[];
  /** Requests of CLEANUP are not followed in the log and the database; only those of STEPS are sent several times at once. */
  readonly part: 'trigger' | 'step' | 'cleanup';
};

function bulletIn({ kind, lines: [line] }: Block, report: ReportProblem): LinePiece | undefined {
  const text = kind === 'text' ? parseBullet(line) : undefined;
  if (text === undefined || text.text === '') {
    report('SCENARIO_CHECK_NOT_BULLET', line.start, line.end, {});
    return undefined;
  }
  return stripCodeMarks(text);
}

/** Reads the bullets of one request in their order. */
class BulletReader {
  readonly checks: ScenarioCheck[] = [];
  readonly captures: Capture[] = [];
  until: Until | undefined;
  receive: Receive | undefined;
  concurrent: number | undefined;
  #concurrentBullet: LinePiece | undefined;
  readonly #context: TemplateContext;
  readonly #scope: CheckScope;
  /** Captured before this request; those of its own response are known afterwards. */
  readonly #known: readonly string[];
  readonly #comparisons: ComparisonPolicy;

  constructor(context: TemplateContext, scope: CheckScope) {
    this.#context = context;
    this.#scope = scope;
    this.#known = [...scope.captureNames];
    this.#comparisons = scope.layer === 'HTTP Ingestion' ? 'refused' : 'allowed';
  }

  read(bullet: LinePiece): void {
    if (splitCapture(bullet.text)) this.#readCapture(bullet);
    else if (startsWithUntil(bullet.text)) this.#readUntil(bullet);
    else if (startsWithReceive(bullet.text)) this.#readReceive(bullet);
    else if (startsWithConcurrent(bullet.text)) this.#readConcurrent(bullet);
    else this.#add(this.#readCheck(bullet, bullet));
  }

  #add(check: ScenarioCheck | undefined): void {
    if (check) this.checks.push(check);
  }

  /** `whole` is the bullet that `piece` is a part of. */
  #readCheck({ text, start }: LinePiece, whole: LinePiece): ScenarioCheck | undefined {
    const { source, report } = this.#context;
    const { kinds } = this.#scope;
    const parts = splitCheckText(text, this.#known);
    const range = toRange(source, whole.start, whole.start + whole.text.length);
    if (parts && !hasPlaceholdersInOperand(parts)) {
      report('SCENARIO_CAPTURE_POSITION', start, start + text.length, {});
      return undefined;
    }
    const readable = parts ? fillSamples(parts) : text;
    const onProblem: ReportProblem = (code, from, end, values) =>
      parts ? report(code, start, start + text.length, values) : report(code, start + from, start + end, values);
    const check = parseCheck(readable, onProblem, this.#comparisons, kinds);
    if (check === undefined) return undefined;
    this.#reportLiteral({ text, start });
    const definition = getCheckKind(check, kinds);
    if (this.#isRefused(definition, whole)) return undefined;
    if (definition.getFile) return this.#attachFile(check, definition, whole, parts !== undefined);
    const template = parts && { parts, comparisons: this.#comparisons };
    return { check, definition, text: whole.text, range, ...(template ? { template } : {}) };
  }

  /** The check with the file that it names. */
  #attachFile(check: Check, definition: CheckKind, whole: LinePiece, hasCaptures: boolean): ScenarioCheck | undefined {
    const { source, report, files = new Map() } = this.#context;
    const range = toRange(source, whole.start, whole.start + whole.text.length);
    const [start, end] = [range.start.offset, range.end.offset];
    const name = definition.getFile?.(check) ?? '';
    const file = files.get(resolveName(name, findFileAt(files, range.start.line) ?? ''));
    if (hasCaptures) report('SCENARIO_CAPTURE_POSITION', start, end, {});
    else if (!file) report('SCENARIO_FILE_ABSENT', start, end, { name });
    if (hasCaptures || !file) return undefined;
    const { method, path } = this.#scope;
    const request = method && path && { method, path: formatTemplate(path) };
    const attached = definition.withFile?.(check, getFileText(file), request) ?? check;
    if (typeof attached !== 'string') return { check: attached, definition, text: whole.text, range };
    report('SCENARIO_CHECK_FILE', start, end, { name, problem: attached });
    return undefined;
  }

  /** Reports a check that a request of CLEANUP cannot have. */
  #isRefused({ looksAt: evidence }: CheckKind, { text, start }: LinePiece): boolean {
    if (this.#scope.part !== 'cleanup' || evidence === 'response') return false;
    this.#context.report('SCENARIO_STEP_EVIDENCE', start, start + text.length, { evidence });
    return true;
  }

  /** Warns of a placeholder that is compared as it stands. */
  #reportLiteral({ text, start }: LinePiece): void {
    for (const match of text.matchAll(/\$\{(\w+)\}/g)) {
      if (this.#known.includes(match[1] ?? '')) continue;
      const offset = start + match.index;
      const [placeholder] = match;
      this.#context.report('SCENARIO_CHECK_PLACEHOLDER', offset, offset + placeholder.length, { placeholder });
      return;
    }
  }

  #readUntil(bullet: LinePiece): void {
    const { report } = this.#context;
    const parsed = readUntil(bullet, report);
    const check = parsed && this.#readCheck(parsed.check, bullet);
    if (!parsed || !check) return;
    this.#add(check);
    const { start, end } = check.range;
    if (this.receive) report('SCENARIO_RECEIVE_DOUBLED', start.offset, end.offset, {});
    if (this.until) report('SCENARIO_UNTIL_DOUBLED', start.offset, end.offset, {});
    this.until ??= checkUntil(check, parsed, this.#scope.method, report);
  }

  #readConcurrent(bullet: LinePiece): void {
    const count = readConcurrent(bullet, this.#scope.part === 'step', this.concurrent, this.#context.report);
    if (count === undefined) return;
    this.concurrent = count;
    this.#concurrentBullet = bullet;
  }

  /** What was read; `concurrent` may stand before or after what it excludes. */
  finish(): ResponseChecks {
    const { checks, captures, until, receive, concurrent } = this;
    const read = { checks, captures, until, receive, ...(concurrent === undefined ? {} : { concurrent }) };
    if (this.#concurrentBullet) checkConcurrent(this.#concurrentBullet, read, this.#context.report);
    return read;
  }

  #readReceive(bullet: LinePiece): void {
    const { source, report } = this.#context;
    const { start, text } = bullet;
    const end = start + text.length;
    const parsed = readReceive(bullet, report);
    if (!parsed) return;
    const inner = parsed.check && this.#readCheck(parsed.check, bullet);
    if (parsed.check && !inner) return;
    const { part, method } = this.#scope;
    const { receive } = parsed;
    const hasNoBody = method === 'HEAD' || method === 'TRACE';
    if (part !== 'trigger') report('SCENARIO_RECEIVE_STEP', start, end, {});
    else if (this.receive || this.until) report('SCENARIO_RECEIVE_DOUBLED', start, end, {});
    else if (inner && inner.definition.looksAt !== 'response') report('SCENARIO_UNTIL_EVIDENCE', start, end, {});
    else if (hasNoBody) report('SCENARIO_RECEIVE_METHOD', start, end, { method });
    this.receive ??= receive;
    const check = createReceiveCheck(receive, inner);
    this.#add({ check, definition: receiveKind, text, range: toRange(source, start, end) });
  }

  #readCapture({ text, start }: LinePiece): void {
    const { source: lines, report, placeholders } = this.#context;
    const { name, source: sourceText } = splitCapture(text) ?? { name: '', source: '' };
    const end = start + text.length;
    const response = parseCaptureSource(sourceText);
    const evidence = response ? undefined : parseEvidenceCapture(name, sourceText);
    const source = response ?? (evidence && ({ kind: 'evidence' } as const));
    if (evidence && this.#isRefused(evidence.definition, { text, start })) return;
    const { variables, secrets = [], unlisted = [], columns = [] } = placeholders;
    const taken: readonly string[] = [
      ...builtInPlaceholders.map((placeholder) => placeholder.name),
      ...(variables === undefined || variables === 'any' ? [] : variables),
      ...secrets,
      ...unlisted,
      ...columns,
    ];
    if (!/^[a-z_][a-z0-9_]{0,49}$/i.test(name) || !source) report('SCENARIO_CAPTURE_INVALID', start, end, {});
    else if (taken.includes(name)) report('SCENARIO_CAPTURE_TAKEN', start, end, { name });
    else if (this.#scope.captureNames.includes(name)) report('SCENARIO_CAPTURE_DOUBLED', start, end, { name });
    else {
      const range = toRange(lines, start, end);
      this.captures.push({ name, source, range });
      const own = evidence ?? { check: createCaptureCheck(name, source), definition: captureKind };
      this.checks.push({ ...own, text, range });
      this.#scope.captureNames.push(name);
    }
  }
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

/** Reads every bullet of `blocks`; those that are none are reported and omitted. `heading` is the line of their section. */
export function readResponseChecks(
  blocks: readonly Block[],
  heading: SourceLine,
  context: TemplateContext,
  scope: CheckScope,
): ResponseChecks {
  const contentBlocks = blocks.filter(({ kind }) => kind !== 'blank' && kind !== 'comment' && kind !== 'rule');
  if (contentBlocks.length > maxChecks) {
    const values = { count: contentBlocks.length, max: maxChecks };
    context.report('SCENARIO_CHECKS_TOO_MANY', heading.start, heading.end, values);
    return { checks: [], captures: [], until: undefined };
  }
  const reader = new BulletReader(context, scope);
  const bullets = contentBlocks
    .map((block) => bulletIn(block, context.report))
    .filter((bullet) => bullet !== undefined);
  for (const bullet of bullets) reader.read(bullet);
  reportRepeated(reader.checks, context.report);
  return reader.finish();
}

/** Reads `### Runnable`: the bullets about the response to TRIGGER. */
export function readRunnable(
  section: Section,
  context: TemplateContext,
  scope: Omit<CheckScope, 'part'>,
): ResponseChecks {
  const hasContent = section.blocks.some(({ kind }) => kind !== 'blank' && kind !== 'comment' && kind !== 'rule');
  const [heading] = section.heading.lines;
  if (!hasContent) context.report('SCENARIO_RUNNABLE_EMPTY', heading.start, heading.end, {});
  return readResponseChecks(section.blocks, heading, context, { ...scope, part: 'trigger' });
}
