/** What an editor says about the words under the pointer: a check, a section, a key, a placeholder. */
import type { CheckKind } from '../check/check-kind.ts';
import { getCheckKind } from '../check/kinds.ts';
import { parseCheck } from '../check/parse-check.ts';
import { readBlocks } from './blocks.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import { captureKind, captureSources, splitCapture } from './capture.ts';
import { startsWithConcurrent } from './concurrent.ts';
import { findMetadataKey, metadataKeys, readMetadataEntry } from './metadata.ts';
import { type Outline, readOutline } from './outline.ts';
import { receiveForms, startsWithReceive } from './receive.ts';
import { findSection, formatHeading } from './sections.ts';
import { readSource, type SourceLine } from './source.ts';
import { builtInPlaceholders } from './template.ts';
import { startsWithUntil } from './until.ts';

/** `text` is Markdown; the range is what it is about. */
export type ScenarioHover = { readonly from: number; readonly to: number; readonly text: string };

const unreported = (): void => {};

export function describeAt(text: string, offset: number): ScenarioHover | undefined {
  const source = readSource(text);
  const line = source.lines.find(({ start, end }) => offset >= start && offset <= end);
  if (!line) return undefined;
  const outline = readOutline(readBlocks(source, unreported), unreported);
  return describePlaceholder(line, offset, text) ?? describeHeading(line) ?? describeBullet(line, outline);
}

function describePlaceholder({ text, start }: SourceLine, offset: number, whole: string): ScenarioHover | undefined {
  for (const match of text.matchAll(/\$\{\s*(\w+)\s*\}/g)) {
    const [from, to] = [start + match.index, start + match.index + match[0].length];
    if (offset < from || offset > to) continue;
    const name = match[1] ?? '';
    const capture = findCapture(whole, name);
    const meaning =
      builtInPlaceholders.find((each) => each.name === name)?.meaning ??
      (capture
        ? `captured in line ${capture.line}: \`${capture.text}\``
        : 'a line of `.env` that the config lists under `scenarios.variables`');
    return { from, to, text: `\`\${${name}}\`: ${meaning}` };
  }
  return undefined;
}

/** The bullet that captures a name. `line` counts from 1. */
export function findCapture(text: string, name: string) {
  const { lines } = readSource(text);
  for (const line of lines) {
    const bullet = parseBullet(line);
    const piece = bullet && stripCodeMarks(bullet);
    if (piece && splitCapture(piece.text)?.name === name)
      return { line: line.number, text: piece.text, start: piece.start, end: piece.start + piece.text.length };
  }
  return undefined;
}

function describeHeading({ text, start, end }: SourceLine): ScenarioHover | undefined {
  const name = /^ {0,3}#{2,3}\s+(\w+)\s*#*\s*$/.exec(text)?.[1];
  const definition = name === undefined ? undefined : findSection(name);
  if (!definition) return undefined;
  const need = definition.required ? 'required' : 'optional';
  return { from: start, to: end, text: `\`${formatHeading(definition)}\` (${need}): ${definition.meaning}` };
}

function describeBullet(line: SourceLine, outline: Outline): ScenarioHover | undefined {
  const bullet = parseBullet(line);
  const section = outline.sections.findLast(({ heading }) => heading.lines[0].start < line.start);
  if (!bullet || !section) return undefined;
  const range = { from: bullet.start, to: bullet.start + bullet.text.length };
  if (section.definition.name === 'Metadata') {
    const entry = readMetadataEntry(bullet);
    const key = metadataKeys.find(({ name }) => name === findMetadataKey(entry?.key.text ?? ''));
    return key && { ...range, text: `\`${key.name}\`: ${key.meaning}; such as \`${key.example}\`` };
  }
  if (!['Runnable', 'STEPS', 'CLEANUP'].includes(section.definition.name)) return undefined;
  const { text } = stripCodeMarks(bullet);
  if (splitCapture(text)) return { ...range, text: describeCapture() };
  if (startsWithUntil(text))
    return {
      ...range,
      text: '`until <check> within <time> every <time>`: the request is sent again until the check holds',
    };
  if (startsWithReceive(text))
    return { ...range, text: receiveForms.map(({ form, meaning }) => `- \`${form}\`: ${meaning}`).join('\n') };
  if (startsWithConcurrent(text))
    return {
      ...range,
      text: '`concurrent <n>`: the step is sent so many times at once; all checks must hold for each response',
    };
  const check = parseCheck(text.replaceAll(/\$\{\w+\}/g, '200'), () => {}, 'allowed');
  return check && { ...range, text: describeKind(getCheckKind(check)) };
}

function describeCapture(): string {
  const forms = captureSources.map(({ form, meaning }) => `- \`${form}\`: ${meaning}`);
  return [`\`${captureKind.form}\`: a placeholder from the next request on`, '', ...forms].join('\n');
}

function describeKind({ form, meaning, example }: CheckKind): string {
  return `\`${form}\`\n\nHolds when ${meaning}.\n\nExample: \`${example}\``;
}
