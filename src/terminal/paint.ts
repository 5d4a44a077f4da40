/** Colours by meaning, and the width, of an output stream. */
import { styleText } from 'node:util';
import type { TextSink } from '../environment/environment.ts';

type Style = (text: string) => string;

/** Without colours every style returns its text unchanged. */
export type TerminalPaint = {
  readonly colours: boolean;
  /** Width in columns. */
  readonly width: number;
  /** The width at which prose is wrapped; infinite in files and pipes, where a sentence stays on one line. */
  readonly proseWidth: number;
  readonly passed: Style;
  readonly failed: Style;
  /** Could not be judged: neither passed nor failed. */
  readonly broken: Style;
  readonly accent: Style;
  readonly strong: Style;
  readonly faint: Style;
};

type Variables = Readonly<Record<string, string | undefined>>;

const defaultWidth = 80;

/** FORCE_COLOR decides if set (0 and false turn colours off), then NO_COLOR, then whether it is a terminal. */
export function hasColours(sink: TextSink, variables: Variables): boolean {
  const forced = variables.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (variables.NO_COLOR || variables.TERM === 'dumb') return false;
  return sink.isTTY === true;
}

function readWidth(sink: TextSink, variables: Variables): number {
  const columns = sink.columns ?? Number(variables.COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : defaultWidth;
}

/** `plain` turns colours off whatever the variables say. */
export function paintFor(sink: TextSink, variables: Variables, plain = false): TerminalPaint {
  const colours = !plain && hasColours(sink, variables);
  const style = (...format: Parameters<typeof styleText>[0][]): Style =>
    colours
      ? (text) => format.reduce((styled, styleName) => styleText(styleName, styled, { validateStream: false }), text)
      : (text) => text;
  const width = readWidth(sink, variables);
  return {
    colours,
    width,
    proseWidth: sink.isTTY === true ? width : Number.POSITIVE_INFINITY,
    passed: style('green'),
    failed: style('red'),
    broken: style('yellow'),
    accent: style('cyan'),
    strong: style('bold'),
    faint: style('dim'),
  };
}
