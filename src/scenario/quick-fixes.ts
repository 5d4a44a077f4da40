/**
 * Quick fixes: changes of the text that remove a diagnostic. A fix that only names the right text takes it from the cure,
 * which the parser wrote for this problem; a test applies every fix and parses again.
 */
import type { ErrorCode } from '../errors/table.ts';
import { readBlocks } from './blocks.ts';
import { parseBullet } from './bullet.ts';
import type { Diagnostic } from './diagnostic.ts';
import { findValuePiece } from './metadata.ts';
import { readOutline } from './outline.ts';
import type { CreateFix, FixContext, QuickFix } from './quick-fix.ts';
import { stepFixes } from './quick-fixes-steps.ts';
import { findSection, formatHeading, sectionDefinitions } from './sections.ts';
import { readSource } from './source.ts';

const unreported = (): void => {};

/** The proposal of `did you mean`, `write …`, `add …` and `for whole numbers write …`. */
function findProposal(cure: string): string | undefined {
  const text =
    /(?:did you mean|\bwrite(?: it percent-encoded, as| the bullet)?|\badd(?: it; it begins like)?|the header line|the bullet) `([^`]+)`/.exec(
      cure,
    )?.[1];
  return text === undefined || /…|</.test(text) ? undefined : text;
}

function replace(from: number, to: number, insert: string): QuickFix {
  return { title: `Change to ${insert.trim().split('\n')[0]}`, edit: { from, to, insert } };
}

/** The range becomes the proposal. */
const replaceRange: CreateFix = ({ diagnostic: { range }, proposal }) =>
  proposal === undefined ? undefined : replace(range.start.offset, range.end.offset, proposal);

/** The whole line becomes the proposal. */
const replaceLine: CreateFix = ({ line, proposal }) =>
  proposal === undefined ? undefined : replace(line.start, line.end, proposal);

/** The text of the bullet becomes the proposal. */
const replaceBullet: CreateFix = ({ line, proposal }) => {
  const bullet = parseBullet(line);
  return bullet && proposal !== undefined
    ? replace(bullet.start, bullet.start + bullet.text.length, proposal)
    : undefined;
};

/** Deletes the line with its line ending. */
const removeLine: CreateFix = ({ line, source }) => ({
  title: 'Remove this line',
  edit: { from: line.start, to: source.lines[line.number]?.start ?? line.end, insert: '' },
});

function insertAfterLine({ line }: FixContext, text: string): QuickFix {
  return { title: `Add ${text}`, edit: { from: line.end, to: line.end, insert: `\n${text}` } };
}

/** The layer becomes the one that the cure names. */
const replaceLayer: CreateFix = ({ outline, proposal }) => {
  const metadata = outline.sections.find(({ definition }) => definition.name === 'Metadata');
  const layer = metadata && findValuePiece(metadata, 'Layer');
  const name = /^- Layer: (.+)$/.exec(proposal ?? '')?.[1];
  return layer && name !== undefined ? replace(layer.start, layer.start + layer.text.length, name) : undefined;
};

/** Adds the section before the next one of the table that is there, or at the end. */
const addSection: CreateFix = ({ diagnostic, outline, source }) => {
  const heading = /`#+ (\w+)`/.exec(diagnostic.message)?.[1];
  const definition = heading === undefined ? undefined : findSection(heading);
  if (!definition) return undefined;
  const inner = sectionDefinitions.filter(({ within, required }) => within === definition.name && required);
  const text = [definition, ...inner]
    .map((section) =>
      section.name === 'EXPECT' ? formatHeading(section) : `${formatHeading(section)}\n\n${section.example}`,
    )
    .join('\n\n');
  const title = `Add ${formatHeading(definition)}`;
  const parent = outline.sections.find((section) => section.definition.name === definition.within);
  const index = sectionDefinitions.indexOf(definition);
  const next = parent
    ? outline.sections.find(({ heading }) => heading.lines[0].start > parent.heading.lines[0].start)
    : outline.sections.find((section) => sectionDefinitions.indexOf(section.definition) > index);
  const end = source.text.trimEnd().length;
  if (!next) return { title, edit: { from: end, to: end, insert: `\n\n${text}\n` } };
  const from = next.heading.lines[0].start;
  return { title, edit: { from, to: from, insert: `${text}\n\n` } };
};

/** In place of the wrong time, or below the heading of an empty section. */
const correctTimeout: CreateFix = (context) => {
  const { proposal, line, outline } = context;
  const isEmpty = outline.sections.some(({ heading }) => heading.lines[0] === line);
  return isEmpty && proposal !== undefined ? insertAfterLine(context, proposal) : replaceRange(context);
};

const removeMarks: CreateFix = ({ diagnostic: { range, message }, source }) => {
  const inner = /around `(.*)` are part/.exec(message)?.[1];
  const { offset: from } = range.start;
  const written = source.text.slice(from, range.end.offset);
  return inner !== undefined && written.length === inner.length + 2
    ? replace(from, range.end.offset, written.slice(1, -1))
    : undefined;
};

const closeFence: CreateFix = ({ diagnostic: { cure }, source }) => {
  const marks = /write (\S+) on a line/.exec(cure)?.[1];
  const end = source.text.trimEnd().length;
  return marks === undefined
    ? undefined
    : { title: `Add ${marks} at the end`, edit: { from: end, to: source.text.length, insert: `\n${marks}\n` } };
};

const makeBullet: CreateFix = ({ line }) => {
  const start = line.start + line.text.length - line.text.trimStart().length;
  return /^[\s>]*[a-z]/i.test(line.text) ? replace(start, start, '- ') : undefined;
};

const separateComment: CreateFix = ({ diagnostic: { range } }) => ({
  title: 'Put it on a line of its own',
  edit: { from: range.start.offset, to: range.start.offset, insert: '\n' },
});

const removeRange: CreateFix = ({ diagnostic: { range } }) => ({
  title: 'Delete this character',
  edit: { from: range.start.offset, to: range.end.offset, insert: '' },
});

/** The method of the request in place of the one in the title. */
const correctTitleMethod: CreateFix = ({ diagnostic: { range, message }, source }) => {
  const [, word, method] = /title says (\w+), the request is a (\w+)/.exec(message) ?? [];
  if (word === undefined || method === undefined) return undefined;
  const from = source.text.indexOf(word, range.start.offset);
  return from === -1 ? undefined : replace(from, from + word.length, method);
};

/** Below the request line, where header lines begin. */
const addRequestId: CreateFix = (context) => insertAfterLine(context, 'X-Request-Id: ${correlation_id}');
const addContentType: CreateFix = (context) => {
  const trigger = context.outline.sections.find(({ definition }) => definition.name === 'TRIGGER');
  const request = trigger?.blocks.find(({ kind }) => kind === 'text');
  return request && insertAfterLine({ ...context, line: request.lines[0] }, 'Content-Type: application/json');
};
const addMetadata: CreateFix = (context) => {
  const key = /^(\w+) is missing$/.exec(context.diagnostic.message)?.[1];
  const { proposal, outline, line } = context;
  const metadata = outline.sections.find(({ definition }) => definition.name === 'Metadata');
  if (key === undefined || proposal === undefined || !metadata) return undefined;
  // An entry without a value is completed.
  if (metadata.heading.lines[0] !== line) return replace(line.start, line.end, proposal);
  const [, next] = [line, metadata.blocks[0]];
  return next?.kind === 'blank'
    ? insertAfterLine({ ...context, line: next.lines[0] }, proposal)
    : { title: `Add ${proposal}`, edit: { from: line.end, to: line.end, insert: `\n\n${proposal}` } };
};

const fixes: Partial<Readonly<Record<ErrorCode, CreateFix>>> = {
  ...stepFixes,
  SCENARIO_LONE_CR: removeRange,
  SCENARIO_CONTROL_CHARACTER: removeRange,
  SCENARIO_FENCE_UNCLOSED: closeFence,
  SCENARIO_COMMENT_TEXT: separateComment,
  SCENARIO_TITLE_LEVEL: replaceLine,
  SCENARIO_TITLE_METHOD: correctTitleMethod,
  SCENARIO_HEADING_SPACE: replaceLine,
  SCENARIO_SECTION_UNKNOWN: replaceLine,
  SCENARIO_SECTION_LEVEL: replaceLine,
  SCENARIO_SECTION_MISSING: addSection,
  SCENARIO_METADATA_UNKNOWN: replaceRange,
  SCENARIO_METADATA_DOUBLED: removeLine,
  SCENARIO_METADATA_MISSING: addMetadata,
  SCENARIO_ID_IN_USE: replaceRange,
  SCENARIO_ID_CHANGED: replaceRange,
  SCENARIO_LAYER_UNKNOWN: replaceRange,
  SCENARIO_TIMEOUT_INVALID: correctTimeout,
  SCENARIO_METHOD_UNKNOWN: replaceRange,
  SCENARIO_URL_INVALID: replaceRange,
  SCENARIO_PATH_INVALID: replaceRange,
  SCENARIO_HEADER_REFUSED: removeLine,
  SCENARIO_HEADER_DOUBLED: removeLine,
  SCENARIO_REQUEST_ID_MISSING: addRequestId,
  SCENARIO_CONTENT_TYPE_MISSING: addContentType,
  SCENARIO_PLACEHOLDER_UNKNOWN: replaceRange,
  SCENARIO_CHECK_NOT_BULLET: makeBullet,
  SCENARIO_CHECK_UNKNOWN: replaceBullet,
  SCENARIO_CHECK_COMPARISON: (context) =>
    context.proposal?.startsWith('- Layer: ') ? replaceLayer(context) : replaceBullet(context),
  SCENARIO_CHECK_DOUBLED: removeLine,
  SCENARIO_STATUS_DOUBLED: removeLine,
  SCENARIO_CHECK_QUOTED: removeMarks,
  SCENARIO_CHECK_LAYER: replaceLayer,
  SCENARIO_QUERY_LAYER: replaceLayer,
};

/** The fixes of a diagnostic of `text`; none where an author must decide. */
export function findQuickFixes(text: string, diagnostic: Diagnostic): readonly QuickFix[] {
  const createFix = fixes[diagnostic.code];
  const source = readSource(text);
  const line = source.lines[diagnostic.range.start.line - 1];
  if (!createFix || !line) return [];
  const outline = readOutline(readBlocks(source, unreported), unreported);
  const fix = createFix({ diagnostic, source, line, outline, proposal: findProposal(diagnostic.cure) });
  return fix ? [fix] : [];
}
