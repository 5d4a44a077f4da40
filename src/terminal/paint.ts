/** Colours by meaning, and the width, of a stream that people may be reading. */
import { styleText } from 'node:util';
import type { TextSink } from '../environment/environment.ts';

type Style = (text: string) => string;

/** What a stream can show. Without colours every style returns its text as it is. */
export type Paint = {
  readonly colours: boolean;
  /** Columns to fill. */
  readonly width: number;
  /** The same, on a terminal only: in files and pipes a sentence stays on one line. */
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

/** Whether to colour: FORCE_COLOR decides if set (0 and false say no), then NO_COLOR, then whether a person is watching. */
export function wantsColours(sink: TextSink, variables: Variables): boolean {
  const forced = variables.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (variables.NO_COLOR || variables.TERM === 'dumb') return false;
  return sink.isTTY === true;
}

function widthOf(sink: TextSink, variables: Variables): number {
  const columns = sink.columns ?? Number(variables.COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : defaultWidth;
}

/** The paint for `sink`; `plain` switches colours off whatever the variables say. */
export function paintFor(sink: TextSink, variables: Variables, plain = false): Paint {
  const colours = !plain && wantsColours(sink, variables);
  const style = (...format: Parameters<typeof styleText>[0][]): Style =>
    colours
      ? (text) => format.reduce((styled, one) => styleText(one, styled, { validateStream: false }), text)
      : (text) => text;
  const width = widthOf(sink, variables);
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
