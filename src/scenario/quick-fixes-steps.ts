/** Quick fixes for problems of steps, captures and cases. */
import type { ErrorCode } from '../errors/table.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import { splitCapture } from './capture.ts';
import type { CreateFix, QuickFix } from './quick-fix.ts';
import { looksLikeRequest } from './request-line.ts';
import { readUntil } from './until.ts';

const insertAt = (offset: number, insert: string, title: string): QuickFix => ({
  title,
  edit: { from: offset, to: offset, insert },
});

/** A heading of another level becomes the name of a step. */
const correctStepHeading: CreateFix = ({ line }) => {
  const [, indent = '', marks = '', name = ''] = /^( {0,3})(#+)\s*(.*?)\s*$/.exec(line.text) ?? [];
  if (marks === '' || name === '' || name.length > 100) return undefined;
  return {
    title: `Change to ### ${name}`,
    edit: { from: line.start + indent.length, to: line.end, insert: `### ${name}` },
  };
};

/** A request without a heading gets one with its method. */
const addStepHeading: CreateFix = ({ line, source }) => {
  const text = line.text.trim();
  if (!looksLikeRequest(text)) return undefined;
  const used = new Set(source.lines.map((each) => each.text.trim().toLowerCase()));
  const method = text.split(/\s/, 1)[0] ?? 'request';
  for (let number = 1; ; number += 1) {
    const heading = `### ${method}${number === 1 ? '' : ` ${number}`}`;
    if (!used.has(heading.toLowerCase())) return insertAt(line.start, `${heading}\n\n`, `Add ${heading}`);
  }
};

/** The second step of a name gets a number. */
const numberStep: CreateFix = ({ line, source }) => {
  const name = /^ {0,3}###\s+(.+?)\s*#*\s*$/.exec(line.text)?.[1];
  if (name === undefined) return undefined;
  const used = new Set(source.lines.map(({ text }) => /^ {0,3}###\s+(.+?)\s*#*\s*$/.exec(text)?.[1]?.toLowerCase()));
  for (let number = 2; ; number += 1) {
    const heading = `### ${name} ${number}`;
    if (!used.has(`${name} ${number}`.toLowerCase()))
      return { title: `Change to ${heading}`, edit: { from: line.start, to: line.end, insert: heading } };
  }
};

/** A capture whose name is taken gets a number; where it is used, the author decides which one is meant. */
const numberCapture: CreateFix = ({ line, source }) => {
  const bullet = parseBullet(line);
  const piece = bullet && stripCodeMarks(bullet);
  const name = piece && splitCapture(piece.text)?.name;
  if (!piece || name === undefined || name === '' || name.length > 45) return undefined;
  const used = new Set(Array.from(source.text.matchAll(/\bcapture\s+(\w+)\s*=/g), ([, each]) => each));
  for (let number = 2; ; number += 1) {
    const other = `${name}_${number}`;
    if (used.has(other)) continue;
    const from = piece.start + piece.text.indexOf(name, 'capture'.length);
    return { title: `Rename the capture to ${other}`, edit: { from, to: from + name.length, insert: other } };
  }
};

/** The second repetition becomes a check of the last response. */
const removeUntil: CreateFix = ({ line }) => {
  const bullet = parseBullet(line);
  const piece = bullet && stripCodeMarks(bullet);
  const check = piece && readUntil(piece, () => {})?.check.text;
  if (!piece || check === undefined) return undefined;
  return {
    title: `Change to ${check}`,
    edit: { from: piece.start, to: piece.start + piece.text.length, insert: check },
  };
};

export const stepFixes: Partial<Readonly<Record<ErrorCode, CreateFix>>> = {
  SCENARIO_STEP_HEADING: correctStepHeading,
  SCENARIO_STEP_TEXT: addStepHeading,
  SCENARIO_CLEANUP_NOT_SENT: addStepHeading,
  SCENARIO_STEP_DOUBLED: numberStep,
  SCENARIO_CAPTURE_TAKEN: numberCapture,
  SCENARIO_CAPTURE_DOUBLED: numberCapture,
  SCENARIO_UNTIL_DOUBLED: removeUntil,
};
