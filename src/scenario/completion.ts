/**
 * Completion while writing a scenario, from the tables of the parser. Pure: the editor of the console shows the options.
 * Length: one short function for each section of the language.
 */
import type { CheckKind } from '../check/check-kind.ts';
import { checkKinds } from '../check/kinds.ts';
import { readBlocks } from './blocks.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import { captureSources, splitCapture } from './capture.ts';
import { splitRow } from './case-rows.ts';
import { findLayer, getLayer, type LayerDefinition, layerDefinitions } from './layers.ts';
import { findValuePiece, metadataKeys } from './metadata.ts';
import { type Outline, readOutline, type Section } from './outline.ts';
import { receiveForms } from './receive.ts';
import { bodyFences, grpcLines, headerLines } from './request-forms.ts';
import { grpcWord, httpMethods } from './scenario.ts';
import { formatHeading, type SectionDefinition, sectionDefinitions } from './sections.ts';
import { readSource } from './source.ts';
import { builtInPlaceholders } from './template.ts';
import { callWord } from './tool-call.ts';

/** `insert` may hold `<name>` for what the author fills in; `detail` explains the option. */
export type CompletionOption = {
  readonly label: string;
  readonly insert: string;
  readonly detail: string;
  readonly kind: 'section' | 'key' | 'value' | 'check' | 'placeholder' | 'header';
};

/** The options replace the text from offset `from` up to the offset that was completed. */
export type CompletionList = { readonly from: number; readonly options: readonly CompletionOption[] };

/** What is known besides the text: variables of the instance, tags of the catalogue, fields of the last response. */
export type CompletionFacts = {
  readonly variables?: readonly string[];
  readonly tags?: readonly string[];
  readonly fields?: readonly string[];
};

/** A line up to the completed offset, with the section around it. */
type Position = {
  readonly outline: Outline;
  readonly section: Section | undefined;
  readonly line: string;
  readonly lineStart: number;
  readonly facts: CompletionFacts;
};

const unreported = (): void => {};

function list(from: number, options: readonly CompletionOption[]): CompletionList | undefined {
  return options.length === 0 ? undefined : { from, options };
}

const placeholderSections: ReadonlySet<string> = new Set(['STEPS', 'TRIGGER', 'VERIFY', 'Runnable', 'CLEANUP']);

/** The columns of CASES, wherever they are written. */
function listColumns(outline: Outline): { readonly name: string; readonly meaning: string }[] {
  const section = outline.sections.find(({ definition }) => definition.name === 'CASES');
  const head = section?.blocks.find(({ kind }) => kind === 'text')?.lines[0];
  const cells = (head && splitRow(head)) ?? [];
  return cells.map(({ text }) => ({ name: text, meaning: 'a column of CASES' }));
}

/** Captured before the line, in the requests that come before it. */
function listCaptures(outline: Outline, end: number): { readonly name: string; readonly meaning: string }[] {
  return outline.sections
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ kind, lines: [line] }) => {
      const bullet = kind === 'text' && line.start < end ? parseBullet(line) : undefined;
      const name = bullet && splitCapture(stripCodeMarks(bullet).text)?.name;
      return name ? [{ name, meaning: `captured in line ${line.number}` }] : [];
    });
}

function completePlaceholder({ outline, line, lineStart, section, facts }: Position): CompletionList | undefined {
  const start = /\$\{?\w*$/.exec(line)?.index;
  const name = section?.definition.name;
  if (start === undefined || !placeholderSections.has(name ?? '')) return undefined;
  const variables = (facts.variables ?? []).map((variable) => ({ name: variable, meaning: 'from `.env`' }));
  const fields = name === 'VERIFY' ? [{ name: 'body.<field>', meaning: 'a value of the response' }] : [];
  const captures = [...listColumns(outline), ...listCaptures(outline, lineStart)];
  // In a check nothing else is replaced.
  const names = name === 'Runnable' ? captures : [...builtInPlaceholders, ...captures, ...variables, ...fields];
  const options = names.map(
    (placeholder): CompletionOption => ({
      label: `\${${placeholder.name}}`,
      insert: `\${${placeholder.name}}`,
      detail: placeholder.meaning,
      kind: 'placeholder',
    }),
  );
  return list(lineStart + start, options);
}

/** The heading with what its section begins with. */
function formatSectionStart(definition: SectionDefinition): string {
  const inner = sectionDefinitions.filter(({ within, required }) => within === definition.name && required);
  const content = inner.length > 0 ? inner.map(formatSectionStart).join('\n\n') : definition.example;
  return `${formatHeading(definition)}\n\n${content}`;
}

function completeHeading({ outline, line, lineStart }: Position): CompletionList | undefined {
  const title: CompletionOption = {
    label: '# Scenario: <METHOD> <path-name>',
    insert: '# Scenario: <METHOD> <path-name>',
    detail: 'the title',
    kind: 'section',
  };
  const has = (name: string): boolean => outline.sections.some(({ definition }) => definition.name === name);
  const missing = sectionDefinitions.filter(
    ({ name, within, isWritten }) => !isWritten && !has(name) && (within === undefined || has(within)),
  );
  const options = missing.map(
    (definition): CompletionOption => ({
      label: formatHeading(definition),
      insert: formatSectionStart(definition),
      detail: definition.meaning,
      kind: 'section',
    }),
  );
  const start = line.length - line.trimStart().length;
  const hasTitle = /^scenario\b/i.test(outline.title?.name.text ?? '');
  return list(lineStart + start, hasTitle ? options : [title, ...options]);
}

function completeMetadata({ outline, line, lineStart, facts }: Position): CompletionList | undefined {
  const value = /^\s*[-*+]\s+\W*(layer|tags)\W*:\s*/i.exec(line);
  if (value?.[1]?.toLowerCase() === 'layer')
    return list(
      lineStart + value[0].length,
      layerDefinitions.map(({ name, database, log }) => ({
        label: name,
        insert: name,
        detail: [['response'], database ? ['database'] : [], log ? ['log'] : []].flat().join(', '),
        kind: 'value',
      })),
    );
  if (value) {
    const word = /[^\s,]*$/.exec(line)?.[0] ?? '';
    const tags = (facts.tags ?? []).map(
      (tag): CompletionOption => ({ label: tag, insert: tag, detail: 'a tag of this environment', kind: 'value' }),
    );
    return list(lineStart + line.length - word.length, tags);
  }
  if (!/^\s*(?:[-*+]\s*)?\w*$/.test(line)) return undefined;
  const section = outline.sections.find(({ definition }) => definition.name === 'Metadata');
  const missing = metadataKeys.filter(({ name }) => section && findValuePiece(section, name) === undefined);
  const options = missing.map(
    ({ name, meaning }): CompletionOption => ({
      label: `- ${name}:`,
      insert: `- ${name}: `,
      detail: meaning,
      kind: 'key',
    }),
  );
  return list(lineStart, options);
}

function completeBodyFence(line: string, lineStart: number): CompletionList | undefined {
  const marks = /^\s*(`{1,3}|~{1,3})\w*$/.exec(line)?.[1];
  if (marks === undefined) return undefined;
  const fence = marks.charAt(0).repeat(3);
  return list(
    lineStart + line.indexOf(marks),
    bodyFences.map(([info, content, detail]) => ({
      label: fence + info,
      insert: `${fence}${info}\n${content}\n${fence}`,
      detail,
      kind: 'section',
    })),
  );
}

function completeTrigger({ section, line, lineStart }: Position): CompletionList | undefined {
  const before = section?.blocks.filter(({ kind, lines: [first] }) => kind === 'text' && first.start < lineStart) ?? [];
  const fences = before.length === 0 ? undefined : completeBodyFence(line, lineStart);
  if (fences) return fences;
  if (!/^\s*[A-Za-z-]*$/.test(line)) return undefined;
  const from = lineStart + line.length - line.trimStart().length;
  if (before.length === 0)
    return list(from, [
      ...httpMethods.map((method) => ({
        label: String(method),
        insert: `${method} \${INGESTION_URL}/<path>`,
        detail: 'the request line',
        kind: 'value' as const,
      })),
      { label: callWord, insert: `${callWord} <connection>__<tool>`, detail: 'a tool of a hub', kind: 'value' },
      {
        label: grpcWord,
        insert: `${grpcWord} <package>.<Service>/<Method>`,
        detail: 'a method of a gRPC server',
        kind: 'value',
      },
    ]);
  const present = before.map(({ lines: [first] }) => first.text.trim().split(':')[0]?.toLowerCase());
  const isAfterBlank = section?.blocks.some(
    ({ kind, lines: [first] }) =>
      kind === 'blank' && first.start > (before[0]?.lines[0].start ?? 0) && first.start < lineStart,
  );
  if (isAfterBlank) return undefined;
  const isGrpc = before[0]?.lines[0].text.trimStart().startsWith(`${grpcWord} `);
  const headers = (isGrpc ? grpcLines : headerLines).filter(
    ([insert]) => !present.includes(insert.split(':')[0]?.toLowerCase()),
  );
  return list(
    from,
    headers.map(([insert, detail]) => ({ label: insert, insert, detail, kind: 'header' })),
  );
}

/** Without its optional parts, as it can be inserted. */
function toTemplate({ form }: CheckKind): string {
  return form.replaceAll(/ ?\[[^\]]*\]/g, '');
}

function completeCheck({ outline, section, line, lineStart, facts }: Position): CompletionList | undefined {
  const bullet = /^\s*(?:[-*+]\s*)?/.exec(line)?.[0] ?? '';
  const written = line.slice(bullet.length);
  const metadata = outline.sections.find(({ definition }) => definition.name === 'Metadata');
  const layerName = findLayer((metadata && findValuePiece(metadata, 'Layer')?.text) ?? '');
  const layer = layerName && getLayer(layerName);
  const usable = checkKinds.filter(
    ({ looksAt, refusedInPlain }) =>
      !layer || (looksAt === 'response' ? !refusedInPlain || layer.database || layer.log : layer[looksAt]),
  );
  const keyword =
    /^(?:(?:body|log|db(?:\s+\w+)?)\s+has|header|cookie|body\s+(?:every(?:\s+or\s+none)?|some))\s+\S+\s+(\S*)$/.exec(
      written,
    );
  if (keyword) {
    const kinds = usable.filter((kind) => kind.keyword !== undefined);
    const options = kinds.map((kind): CompletionOption => {
      const operand = /<field>\s+(.*)$/.exec(toTemplate(kind))?.[1] ?? kind.keyword ?? '';
      return { label: operand, insert: operand, detail: kind.meaning, kind: 'check' };
    });
    return list(lineStart + line.length - (keyword[1]?.length ?? 0), options);
  }
  const field = /^body\s+(?:has(?:\s+no)?|every(?:\s+or\s+none)?|some|unique|sorted\s+by)\s+(\S*)$/.exec(written);
  if (field && facts.fields && facts.fields.length > 0)
    return list(
      lineStart + line.length - (field[1]?.length ?? 0),
      facts.fields.map((name) => ({
        label: name,
        insert: name,
        detail: 'a field of the last response',
        kind: 'value',
      })),
    );
  const marker = bullet.trim() === '' ? '- ' : '';
  return list(lineStart + bullet.length, [
    ...usable.map((kind) => ({
      label: kind.form,
      insert: marker + toTemplate(kind),
      detail: kind.meaning,
      kind: 'check' as const,
    })),
    ...listRequestBullets(layer, section?.definition.name).map(([form, detail]) => ({
      label: form,
      insert: marker + form,
      detail,
      kind: 'check' as const,
    })),
  ]);
}

const socketForms = receiveForms.map(({ form, meaning }) => ({
  form: form.replace('events', 'messages'),
  meaning: meaning.replaceAll(/(?:server-sent )?events/g, 'messages of a WebSocket or of gRPC'),
}));

/** Bullets besides checks, as far as the layer has the evidence. */
function listRequestBullets(
  layer: LayerDefinition | undefined,
  part: string | undefined,
): readonly (readonly [form: string, detail: string])[] {
  const sources = captureSources.filter(({ looksAt }) => !layer || looksAt === 'response' || layer[looksAt]);
  return [
    ...sources.map(({ form, meaning }) => [`capture <name> = ${form}`, meaning] as const),
    ['until <check> within 20s every 500ms', 'sends the request again until the check holds'],
    ...(part === 'Runnable'
      ? [...receiveForms, ...socketForms].map(({ form, meaning }) => [form, meaning] as const)
      : []),
    ...(part === 'STEPS' ? [['concurrent 8', 'sends the request of the step 8 times at once'] as const] : []),
  ];
}

/** A request, or a bullet after it. */
function completeStep(position: Position): CompletionList | undefined {
  const { section, line, lineStart } = position;
  if (/^\s*[-*+]/.test(line)) return completeCheck(position);
  const blocks = section?.blocks ?? [];
  const heading = blocks.findLastIndex(({ kind, lines: [first] }) => kind === 'heading' && first.start < lineStart);
  if (heading === -1 && section?.definition.name === 'STEPS')
    return completeReference(position, 'use', 'the steps of another scenario');
  if (!section || heading === -1) return undefined;
  return completeTrigger({ ...position, section: { ...section, blocks: blocks.slice(heading + 1) } });
}

function completeTimeout({ line, lineStart }: Position): CompletionList | undefined {
  if (!/^\s*\d*s?$/.test(line)) return undefined;
  const options = ['5s', '30s', '60s', '120s'].map(
    (text): CompletionOption => ({
      label: text,
      insert: text,
      detail: 'how long the whole answer may take',
      kind: 'value',
    }),
  );
  return list(lineStart, options);
}

function completeVerify({ line, lineStart }: Position): CompletionList | undefined {
  if (!/^\s*`{1,3}\w*$/.test(line)) return undefined;
  const query = '```sql\nSELECT <columns> FROM <table> WHERE <condition>\n```';
  return list(lineStart, [
    { label: '```sql', insert: query, detail: 'a query; checks of the form `db …` judge its rows', kind: 'section' },
  ]);
}

/** `use: <file>` or `from: <file>`, once its first letter is written. */
function completeReference(
  { line, lineStart }: Pick<Position, 'line' | 'lineStart'>,
  word: 'use' | 'from',
  detail: string,
): CompletionList | undefined {
  const insert = `${word}: <file>`;
  const written = line.trimStart();
  if (written === '' || !insert.startsWith(written)) return undefined;
  return list(lineStart + line.length - written.length, [{ label: insert, insert, detail, kind: 'value' }]);
}

/** A row with as many cells as the head. */
function completeCases({ outline, line, lineStart }: Position): CompletionList | undefined {
  const columns = listColumns(outline);
  const reference = completeReference({ line, lineStart }, 'from', 'cases of a CSV or JSON file');
  if (reference) return reference;
  if (columns.length === 0 || !/^\s*\|?$/.test(line)) return undefined;
  const insert = `| ${columns.map(({ name }) => `<${name}>`).join(' | ')} |`;
  return list(lineStart, [{ label: insert, insert, detail: 'a case', kind: 'value' }]);
}

const bySection: Partial<Record<string, (position: Position) => CompletionList | undefined>> = {
  Metadata: completeMetadata,
  STEPS: completeStep,
  CLEANUP: completeStep,
  TRIGGER: completeTrigger,
  Runnable: completeCheck,
  CASES: completeCases,
  TIMEOUT: completeTimeout,
  VERIFY: completeVerify,
};

/** The options at an offset of `text` that continue what is written there; undefined where there are none. */
export function completeScenario(
  text: string,
  offset: number,
  facts: CompletionFacts = {},
): CompletionList | undefined {
  const completion = listOptions(text, offset, facts);
  if (!completion) return undefined;
  const written = text.slice(completion.from, offset);
  const continues = ({ label, insert }: CompletionOption): boolean =>
    label.toLowerCase().startsWith(written.toLowerCase()) && insert !== written;
  return list(completion.from, completion.options.filter(continues));
}

function listOptions(text: string, offset: number, facts: CompletionFacts): CompletionList | undefined {
  const outline = readOutline(readBlocks(readSource(text), unreported), unreported);
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const section = outline.sections.findLast(({ heading }) => heading.lines[0].end < offset);
  const position: Position = { outline, section, line: text.slice(lineStart, offset), lineStart, facts };
  if (/^ {0,3}#/.test(position.line)) return completeHeading(position);
  const special = completePlaceholder(position) ?? bySection[section?.definition.name ?? '']?.(position);
  return special ?? (position.line.trim() === '' ? completeHeading(position) : undefined);
}
