import { memo, useEffect, useMemo, useRef, useState } from 'react';
import type { ReportCheck } from '../../report/report.ts';
import { reveal } from '../parts/reveal.ts';
import { countText } from '../words/moments.ts';
import { type JsonLine, jsonLines, lineOfPointer, looksLikeJson } from './json-lines.ts';

type BodyViewProps = {
  readonly text: string;
  readonly checks: readonly ReportCheck[];
  readonly chosen: number | undefined;
  /** Somebody has chosen it, so that the page may move. */
  readonly asked: boolean;
  readonly onChoose: (line: number) => void;
};

function plainLines(text: string): JsonLine[] {
  return text.split('\n').map((line) => ({ depth: 0, pieces: [{ text: line, kind: 'mark' }], pointer: undefined }));
}

/** A body, formatted where it is JSON, with the values that checks judged marked, and searchable. */
export function BodyView({ text, checks, chosen, asked, onChoose }: BodyViewProps) {
  const lines = useMemo(() => (looksLikeJson(text) ? jsonLines(text) : plainLines(text)), [text]);
  const [words, setWords] = useState('');
  const judged = useMemo(() => judgedLines(lines, checks), [lines, checks]);
  const pointer = checks.find(({ line }) => line === chosen)?.pointer;
  const at = pointer == null ? -1 : lineOfPointer(lines, pointer);
  const found = words === '' ? 0 : lines.filter((line) => contains(line, words)).length;
  return (
    <div className="body-view">
      <div className="find">
        <input
          type="search"
          data-search
          aria-label="Search in the body"
          placeholder="Search in the body  /"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <span className="faint" role="status">
          {words === '' ? '' : countText(found, 'line')}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section className="lines" aria-label="Body" tabIndex={0}>
        {lines.map((line, index) => (
          <BodyLine
            // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
            key={index}
            line={line}
            check={judged.get(index)}
            chosen={index === at}
            asked={asked}
            hit={words !== '' && contains(line, words)}
            onChoose={onChoose}
          />
        ))}
      </section>
    </div>
  );
}

function contains({ pieces }: JsonLine, words: string): boolean {
  const text = pieces.map((piece) => piece.text).join('');
  return text.toLowerCase().includes(words.toLowerCase());
}

/** Index of a line → the check to show there; a failing one before others. */
function judgedLines(lines: readonly JsonLine[], checks: readonly ReportCheck[]): Map<number, ReportCheck> {
  const judged = new Map<number, ReportCheck>();
  const places = new Map(lines.map(({ pointer }, index) => [pointer, index] as const).reverse());
  for (const check of checks) {
    const index = check.pointer === null ? undefined : places.get(check.pointer);
    if (index === undefined || (judged.get(index)?.outcome === 'failed' && check.outcome !== 'failed')) continue;
    judged.set(index, check);
  }
  return judged;
}

type BodyLineProps = {
  readonly line: JsonLine;
  readonly check: ReportCheck | undefined;
  readonly chosen: boolean;
  readonly asked: boolean;
  readonly hit: boolean;
  readonly onChoose: (line: number) => void;
};

const BodyLine = memo(function BodyLine({ line, check, chosen, asked, hit, onChoose }: BodyLineProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosen && ref.current) reveal(ref.current, asked);
  }, [chosen, asked]);
  const marks = [chosen ? 'is-chosen' : '', hit ? 'is-hit' : '', check ? `is-${check.outcome}` : ''].join(' ');
  return (
    <div ref={ref} className={`line ${marks}`} style={{ paddingInlineStart: `${line.depth * 2 + 1}ch` }}>
      <code>
        {line.pieces.map(({ text, kind }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces never change places
          <span key={index} className={`j-${kind}`}>
            {text}
          </span>
        ))}
      </code>
      {check ? (
        <button type="button" className="judged" onClick={() => onChoose(check.line)}>
          ← line {check.line}
          {check.outcome === 'failed' ? ` wants ${check.expected ?? check.text}` : ' ✓'}
        </button>
      ) : null}
    </div>
  );
});
