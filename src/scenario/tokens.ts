/** The words of a scenario with their roles, for syntax colours. Uses the parser's own reading of blocks and sections. */
import { checkKinds } from '../check/kinds.ts';
import { type Block, type LinePiece, readBlocks, trimPiece } from './blocks.ts';
import { parseBullet } from './bullet.ts';
import { splitRow } from './case-rows.ts';
import { looksLikeHeader } from './headers.ts';
import { readMetadataEntry } from './metadata.ts';
import { readOutline, type Section } from './outline.ts';
import { readSource } from './source.ts';
import { isCleanupStep, splitAtHeadings } from './steps.ts';
import { triggerKeywords } from './trigger-keyword.ts';

export const tokenKinds = ['heading', 'key', 'keyword', 'method', 'placeholder', 'value', 'comment', 'fence'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** From offset `from` up to, not including, `to` (UTF-16 units). */
export type Token = { readonly from: number; readonly to: number; readonly kind: TokenKind };

const unreported = (): void => {};
const placeholderPattern = /\$\{[^${}\n]*\}/g;
const requestPattern = new RegExp(`^(?:${triggerKeywords.join('|')})(?=\\s)`);
/** The words of the forms that are no operand: `body`, `has`, `matching`, `status`, `rows`, … */
const checkWords: ReadonlySet<string> = new Set([
  ...['capture', 'until', 'concurrent', 'receive'],
  ...checkKinds.flatMap(({ form, keyword }) => [
    ...(keyword ?? '').split(' '),
    ...form.replaceAll(/[<[][^\s\]>]*[>\]]*/g, ' ').split(/[^a-z_]+/),
  ]),
]);

type AddToken = (from: number, to: number, kind: TokenKind) => void;

function addPlaceholders({ text, start }: LinePiece, add: AddToken): void {
  for (const match of text.matchAll(placeholderPattern))
    add(start + match.index, start + match.index + match[0].length, 'placeholder');
}

function addMetadata({ lines: [line] }: Block, add: AddToken): void {
  const bullet = parseBullet(line);
  const entry = bullet && readMetadataEntry(bullet);
  if (!entry) return;
  add(entry.key.start, entry.key.start + entry.key.text.length, 'key');
  if (entry.value.text !== '') add(entry.value.start, entry.value.start + entry.value.text.length, 'value');
}

/** The request line, header lines, or a line of the body. */
function addTriggerLine(piece: LinePiece, add: AddToken): void {
  const { text, start } = trimPiece(piece.text, piece.start);
  const method = requestPattern.exec(text)?.[0];
  if (method !== undefined) add(start, start + method.length, 'method');
  else if (looksLikeHeader(text)) add(start, start + text.indexOf(':'), 'key');
  addPlaceholders({ text, start }, add);
}

/** The leading words that belong to the form; what follows an operator or a keyword is the value. */
function addCheck({ lines: [line] }: Block, add: AddToken): void {
  const bullet = parseBullet(line);
  if (!bullet) return;
  const { text, start } = bullet;
  const comparison = /^(\w+(?:\s+\w+)?)\s*(?:[<>!]=?|=)/.exec(text);
  for (const match of text.matchAll(/[^\s=<>!]+/g)) {
    const [word] = match;
    if (comparison && match.index >= comparison[0].length) {
      add(start + match.index, start + text.length, 'value');
      return;
    }
    if (!checkWords.has(word)) continue;
    add(start + match.index, start + match.index + word.length, 'keyword');
    const rest = match.index + word.length;
    const isLast = checkKinds.some(({ keyword }) => keyword === word);
    if (isLast && text.slice(rest).trim() !== '') {
      const operand = trimPiece(text.slice(rest), start + rest);
      add(operand.start, operand.start + operand.text.length, 'value');
      return;
    }
  }
}

/** A line of a request, or a bullet after it. */
function addStepLine(block: Block, add: AddToken): void {
  const [{ text, start }] = block.lines;
  if (parseBullet(block.lines[0])) addCheck(block, add);
  else addTriggerLine({ text, start }, add);
}

/** The names of the columns. */
function addTableHead({ lines: [line] }: Block, add: AddToken): void {
  for (const { text, start } of splitRow(line) ?? []) add(start, start + text.length, 'key');
}

function addFence({ lines }: Block, add: AddToken): void {
  const [first] = lines;
  const last = lines.at(-1);
  add(first.start, first.end, 'fence');
  if (last && last !== first) add(last.start, last.end, 'fence');
}

function addSection({ definition, heading, blocks }: Section, add: AddToken): void {
  addHeading(heading, add);
  const groups = definition.holdsSteps ? splitAtHeadings(blocks).groups : [];
  const stepGroups = groups.filter((group) => !definition.prose || isCleanupStep(group));
  const stepBlocks: ReadonlySet<Block> = new Set(stepGroups.flatMap((group) => group.blocks));
  for (const block of blocks) {
    if (block.kind === 'comment') addLines(block, 'comment', add);
    else if (block.kind === 'heading') addHeading(block, add);
    else if (block.kind === 'fence') {
      addFence(block, add);
      for (const piece of block.content)
        if (definition.name === 'TRIGGER' || stepBlocks.has(block)) addTriggerLine(piece, add);
        else addPlaceholders(piece, add);
    } else if (block.kind === 'text') {
      if (definition.name === 'Metadata') addMetadata(block, add);
      else if (definition.name === 'CASES') {
        if (block === blocks.find(({ kind }) => kind === 'text')) addTableHead(block, add);
      } else if (definition.name === 'TRIGGER')
        addTriggerLine({ text: block.lines[0].text, start: block.lines[0].start }, add);
      else if (stepBlocks.has(block)) addStepLine(block, add);
      else if (definition.name === 'Runnable') addCheck(block, add);
    }
  }
}

function addHeading({ lines: [line] }: Block, add: AddToken): void {
  add(line.start, line.end, 'heading');
}

function addLines({ lines }: Block, kind: TokenKind, add: AddToken): void {
  for (const { start, end } of lines) add(start, end, kind);
}

/** Tokens in the order of their positions; they do not overlap. Text without a role has none. */
export function listTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const add: AddToken = (from, to, kind) => {
    if (to > from) tokens.push({ from, to, kind });
  };
  const outline = readOutline(readBlocks(readSource(text), unreported), unreported);
  if (outline.title) addHeading(outline.title, add);
  for (const block of [...outline.lead, ...outline.preamble])
    if (block.kind === 'comment') addLines(block, 'comment', add);
  for (const section of outline.sections) addSection(section, add);
  return tokens.sort((a, b) => a.from - b.from);
}
