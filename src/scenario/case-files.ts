/**
 * Cases from a CSV or JSON file of the test folder. CSV as in RFC 4180; own code, because a row that is wrong is reported with its
 * line in the file, which parsers of whole documents do not give for each cell.
 */
import { isList, isObjectValue, type Json, toStringForm } from '../check/json/json.ts';
import { readJson } from '../check/json/read-json.ts';
import type { Cell } from './case-rows.ts';
import { type EmbeddedFile, getFileText } from './embedded-files.ts';
import type { SourceLine } from './source.ts';

export type Row = { readonly line: SourceLine; readonly cells: readonly Cell[] };

/** `problem` says what is wrong with the whole file. */
export type FileRows = { readonly rows: readonly Row[]; readonly problem?: string };

const cellForm = /"((?:[^"]|"")*)"(?=,|\n|$)|([^",\n]*)(?=,|\n|$)/y;

/** A line break within quotation marks belongs to the cell. */
export function readCsvRows({ lines }: EmbeddedFile): FileRows {
  const text = lines.map((line) => line.text).join('\n');
  const rows: Row[] = [];
  let offset = 0;
  let lineIndex = 0;
  while (offset < text.length) {
    const line = lines[lineIndex];
    if (!line) break;
    const cells: Cell[] = [];
    const start = offset;
    let isEnd = false;
    while (!isEnd) {
      cellForm.lastIndex = offset;
      const match = cellForm.exec(text);
      if (match === null)
        return { rows: [], problem: `line ${lineIndex + 1} has a quotation mark that is not closed or not doubled` };
      const value = match[1]?.replaceAll('""', '"') ?? match[2] ?? '';
      cells.push({ text: value, start: line.start });
      lineIndex += match[0].split('\n').length - 1;
      offset += match[0].length + 1;
      isEnd = text[offset - 1] !== ',';
    }
    lineIndex += 1;
    // `""` is an empty text in the only column, and a case.
    const isBlank = offset - start === 1;
    if (!isBlank) rows.push({ line, cells });
  }
  return { rows };
}

function toCellText(value: Json | undefined): string | undefined {
  return value === undefined || isList(value) || isObjectValue(value) ? undefined : toStringForm(value);
}

/** A list of objects with the same members. Their values are texts, numbers, booleans and null. */
export function readJsonRows(file: EmbeddedFile): FileRows {
  let value: Json;
  try {
    value = readJson(getFileText(file));
  } catch {
    return { rows: [], problem: 'it is not JSON' };
  }
  const [line] = file.lines;
  if (!isList(value) || !value.every(isObjectValue) || !line)
    return { rows: [], problem: 'it is not a list of objects' };
  const names = Object.keys(value[0] ?? {});
  const rows: Row[] = [{ line, cells: names.map((text) => ({ text, start: line.start })) }];
  for (const [index, entry] of value.entries()) {
    const cells = names.map((name) => toCellText(entry[name]));
    if (Object.keys(entry).length !== names.length || cells.some((cell) => cell === undefined))
      return {
        rows: [],
        problem: `object ${index + 1} has other members than the first, or a list or an object in one`,
      };
    rows.push({ line, cells: cells.map((text = '') => ({ text, start: line.start })) });
  }
  return { rows };
}
