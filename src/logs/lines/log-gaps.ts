/** What the lines of a run cannot show with this config, so that no check treats missing lines as an answer. */
import { isList, isObjectValue, type Json, type JsonObject, toStringForm } from '../../check/json/json.ts';
import type { LogGap, LogGaps, ObservedLine, UnseenField } from '../../check/observation.ts';
import { type ErrorText, formatError } from '../../errors/vp-error.ts';
import { canMatchLevelKind, suggestErrorMatch } from './error-levels.ts';
import { getField, getFieldText, type LogLineFormat } from './parse-log-line.ts';

/** Names under which loggers write the level. */
const levelFields = [
  'level',
  'severity',
  'lvl',
  'loglevel',
  'logLevel',
  'LogLevel',
  'levelname',
  'log.level',
  '@level',
];
const maxExampleLength = 80;
const maxDepth = 4;

type OpenLines = { readonly count: number; readonly example: string };

/** Counts the lines that leave something open; each line is added once. */
export class LogGapCounter {
  readonly #format: LogLineFormat | undefined;
  readonly #runId: string;
  readonly #redact: (text: string) => string;
  #lineCount = 0;
  #notJson: OpenLines | undefined;
  #withoutLevel: OpenLines | undefined;
  #otherLevel: OpenLines | undefined;
  #levelField: string | undefined;
  #levelExample: string | undefined;
  #idField: string | undefined;
  #isIdInItsField = false;
  #hasSagaField = false;

  /** `runId`: the text that every line of the run holds. `redact` removes secrets from examples. */
  constructor(format: LogLineFormat | undefined, runId: string, redact: (text: string) => string) {
    this.#format = format;
    this.#runId = runId;
    this.#redact = redact;
  }

  add({ text, fields, level }: ObservedLine): void {
    this.#lineCount += 1;
    if (!fields) {
      this.#notJson = this.#count(this.#notJson, text);
      return;
    }
    const { errorMatch, sagaEvent, correlationField } = this.#format ?? {};
    this.#levelField ??= levelFields.find((name) => getFieldText(fields, name) !== undefined);
    this.#levelExample ??= level ?? (this.#levelField && getFieldText(fields, this.#levelField));
    if (level === undefined) this.#withoutLevel = this.#count(this.#withoutLevel, '');
    else if (errorMatch && !canMatchLevelKind(level, errorMatch))
      this.#otherLevel = this.#count(this.#otherLevel, level);
    this.#hasSagaField ||= sagaEvent !== undefined && getField(fields, sagaEvent.field) !== undefined;
    this.#isIdInItsField ||=
      correlationField !== undefined && (getFieldText(fields, correlationField)?.includes(this.#runId) ?? false);
    this.#idField ??= findFieldWith(fields, this.#runId);
  }

  /** `isSilent`: the source has not given a line so far, of whatever run. */
  build(isSilent: boolean): LogGaps {
    const isText = this.#notJson !== undefined && this.#notJson.count === this.#lineCount;
    return {
      lines: isSilent ? createGap('every', [formatError('EVIDENCE_LOG_SILENT', {})]) : undefined,
      // No setting of the config tells errors among lines of text.
      errors: isText ? this.#createLineGap([this.#notJson]) : this.#findErrorGap(),
      sagaEvents: this.#findSagaGap(),
      fields: isText ? this.#createLineGap([this.#notJson]) : undefined,
      unseen: isText || this.#lineCount === 0 ? [] : this.#listUnseen(),
    };
  }

  #findErrorGap(): LogGap | undefined {
    const { levelField, errorMatch } = this.#format ?? {};
    if (levelField !== undefined && errorMatch)
      return this.#createLineGap([this.#notJson, this.#withoutLevel, this.#otherLevel]);
    const members = [
      ...(levelField === undefined ? [`level_field: ${this.#quote(this.#levelField ?? 'level')}`] : []),
      ...(errorMatch ? [] : [`error_match: ${suggestErrorMatch(this.#levelExample ?? '50')}`]),
    ];
    return createGap('every', [formatError('EVIDENCE_ERRORS_UNDEFINED', this.#describeMembers(members))]);
  }

  #findSagaGap(): LogGap | undefined {
    if (this.#format?.sagaEvent) return this.#createLineGap([this.#notJson]);
    const members = ['saga_event_field: event', 'saga_event_value: saga'];
    return createGap('every', [formatError('EVIDENCE_SAGA_UNDEFINED', this.#describeMembers(members))]);
  }

  /** Each member is written as in the config. */
  #describeMembers(members: readonly string[]): { readonly members: string; readonly example: string } {
    const names = members.map((member) => `\`observability.logstore.${member.split(':', 1)[0]}\``);
    const section = this.#format ? [] : [`correlation_field: ${this.#quote(this.#idField ?? 'requestId')}`];
    return { members: names.join(' and '), example: [...section, ...members].map((text) => `\`${text}\``).join(', ') };
  }

  /** The lines that each reason applies to are different ones. */
  #createLineGap(reasons: readonly (OpenLines | undefined)[]): LogGap | undefined {
    const open = reasons.filter((reason) => reason !== undefined);
    if (open.length === 0) return undefined;
    const lineCount = open.reduce((sum, { count }) => sum + count, 0);
    return createGap(
      lineCount,
      open.map((reason) => this.#explain(reason)),
    );
  }

  #explain(reason: OpenLines): ErrorText {
    const lines = formatPart(reason.count, this.#lineCount);
    const { example } = reason;
    if (reason === this.#notJson) return formatError('EVIDENCE_LINE_NOT_JSON', { lines, example });
    if (reason === this.#otherLevel) {
      return formatError('EVIDENCE_LEVEL_UNMATCHED', {
        lines,
        level: example,
        example: suggestErrorMatch(reason.example),
      });
    }
    const seen = this.#levelField === undefined ? '' : `, such as \`${this.#levelField}\``;
    return formatError('EVIDENCE_LEVEL_ABSENT', { lines, field: this.#format?.levelField ?? '', seen });
  }

  #listUnseen(): UnseenField[] {
    const { correlationField, levelField, sagaEvent } = this.#format ?? {};
    const withLevel = this.#lineCount - (this.#notJson?.count ?? 0) - (this.#withoutLevel?.count ?? 0);
    const unseen: (UnseenField | false)[] = [
      correlationField !== undefined &&
        !this.#isIdInItsField && { member: 'correlation_field', field: correlationField, instead: this.#idField },
      levelField !== undefined &&
        withLevel === 0 && { member: 'level_field', field: levelField, instead: this.#levelField },
      sagaEvent !== undefined && !this.#hasSagaField && { member: 'saga_event_field', field: sagaEvent.field },
    ];
    return unseen.filter((field) => field !== false);
  }

  /** Shortened before its secrets are removed: a line may have a megabyte. */
  #count(lines: OpenLines | undefined, text: string): OpenLines {
    return lines ? { ...lines, count: lines.count + 1 } : { count: 1, example: this.#quote(text) };
  }

  #quote(text: string): string {
    if (text === '') return text;
    return this.#redact(text.length > maxExampleLength ? `${text.slice(0, maxExampleLength).toWellFormed()}…` : text);
  }
}

function createGap(lineCount: LogGap['lineCount'], texts: readonly ErrorText[]): LogGap {
  const problem = texts.map(({ message }) => message).join('; ');
  return { lineCount, problem, cure: texts.map(({ cure }) => cure).join('; ') };
}

function formatPart(count: number, total: number): string {
  if (count < total) return `${count} of the ${total} lines of the run`;
  return total === 1 ? 'the line of the run' : `all ${total} lines of the run`;
}

/** The first field whose text contains `text`, with dots between names as in the config. */
function findFieldWith(fields: JsonObject, text: string, prefix = '', depth = 1): string | undefined {
  for (const [key, value] of Object.entries(fields)) {
    const name = `${prefix}${key}`;
    if (isObjectValue(value)) {
      const inner = depth < maxDepth ? findFieldWith(value, text, `${name}.`, depth + 1) : undefined;
      if (inner !== undefined) return inner;
    } else if (isScalar(value) && toStringForm(value).includes(text)) return name;
  }
  return undefined;
}

function isScalar(value: Json): boolean {
  return value !== null && !isList(value) && !isObjectValue(value);
}
