import { memo, useEffect, useMemo, useRef, useState } from 'react';
import type { ReportCheck } from '../../../report/report.ts';
import { LineSearch } from '../../components/search-input.tsx';
import { revealElement } from '../detail/reveal-element.ts';
import { findLineOfPointer, formatJsonLines, isJsonLike, type JsonLine } from './json-lines.ts';

type BodyViewProps = {
  readonly text: string;
  /** The text is only the beginning of the body. */
  readonly truncated: boolean;
  readonly checks: readonly ReportCheck[];
  readonly selected: number | undefined;
  /** The user selected the check, so the page may scroll. */
  readonly selectedByUser: boolean;
  readonly onSelectCheck: (line: number) => void;
};

/** More lines than the box shows. Only further ones wait until they come near the window, which keeps long bodies quick. */
const renderedAtOnce = 150;

function splitPlainLines(text: string): JsonLine[] {
  return text.split('\n').map((line) => ({ depth: 0, tokens: [{ text: line, kind: 'mark' }], pointer: undefined }));
}

/** A searchable body with the judged values marked. JSON is formatted. */
export function BodyView({ text, truncated, checks, selected, selectedByUser, onSelectCheck }: BodyViewProps) {
  const lines = useMemo(() => (isJsonLike(text) ? formatJsonLines(text) : splitPlainLines(text)), [text]);
  const [searchText, setSearchText] = useState('');
  const checksByLine = useMemo(() => mapChecksToLines(lines, checks), [lines, checks]);
  const pointer = checks.find(({ line }) => line === selected)?.pointer;
  const selectedIndex = pointer == null ? -1 : findLineOfPointer(lines, pointer);
  const matchCount = searchText === '' ? 0 : lines.filter((line) => lineContains(line, searchText)).length;
  const unseen = truncated ? checks.filter((check) => isUnseen(check, lines)) : [];
  return (
    <div className="body-view">
      {unseen.length > 0 ? <UnseenValues checks={unseen} selected={selected} onSelectCheck={onSelectCheck} /> : null}
      <LineSearch label="Search in the body" value={searchText} onSearch={setSearchText} matchCount={matchCount} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section className="lines" aria-label="Body" tabIndex={0}>
        {lines.map((line, index) => (
          <BodyLine
            // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
            key={index}
            line={line}
            check={checksByLine.get(index)}
            selected={index === selectedIndex}
            isFar={Math.abs(index - Math.max(0, selectedIndex)) > renderedAtOnce}
            selectedByUser={selectedByUser}
            isMatch={searchText !== '' && lineContains(line, searchText)}
            onSelectCheck={onSelectCheck}
          />
        ))}
      </section>
    </div>
  );
}

function isUnseen({ pointer }: ReportCheck, lines: readonly JsonLine[]): boolean {
  return pointer !== null && findLineOfPointer(lines, pointer) === -1;
}

type UnseenValuesProps = Pick<BodyViewProps, 'checks' | 'selected' | 'onSelectCheck'>;

/** Judged values that stand behind the stored part of the body: checks judge all of it. */
function UnseenValues({ checks, selected, onSelectCheck }: UnseenValuesProps) {
  return (
    <section className="unseen-values" aria-label="Values behind the stored part of the body">
      <p className="faint">The report stores the beginning of this body. These values stand further back:</p>
      <ul>
        {checks.map(({ line, pointer, outcome, expected, actual, text }) => (
          <li key={line} className={`is-${outcome}`} aria-current={line === selected ? 'true' : undefined}>
            <code>{pointer}</code>
            <code className="unseen-value">{actual ?? '–'}</code>
            <button type="button" className="judged" onClick={() => onSelectCheck(line)}>
              ← line {line}
              {outcome === 'failed' ? ` expects ${expected ?? text}` : ' ✓'}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function lineContains({ tokens }: JsonLine, searchText: string): boolean {
  const text = tokens.map((token) => token.text).join('');
  return text.toLowerCase().includes(searchText.toLowerCase());
}

/** Maps the index of a line to the check to show there, preferably a failed one. */
function mapChecksToLines(lines: readonly JsonLine[], checks: readonly ReportCheck[]): Map<number, ReportCheck> {
  const checksByLine = new Map<number, ReportCheck>();
  const indexByPointer = new Map(lines.map(({ pointer }, index) => [pointer, index] as const).reverse());
  for (const check of checks) {
    const index = check.pointer === null ? undefined : indexByPointer.get(check.pointer);
    if (index === undefined || (checksByLine.get(index)?.outcome === 'failed' && check.outcome !== 'failed')) continue;
    checksByLine.set(index, check);
  }
  return checksByLine;
}

type BodyLineProps = {
  readonly line: JsonLine;
  readonly check: ReportCheck | undefined;
  readonly selected: boolean;
  readonly selectedByUser: boolean;
  readonly isFar: boolean;
  readonly isMatch: boolean;
  readonly onSelectCheck: (line: number) => void;
};

const BodyLine = memo(function BodyLine({
  line,
  check,
  selected,
  selectedByUser,
  isFar,
  isMatch,
  onSelectCheck,
}: BodyLineProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (selected && ref.current) revealElement(ref.current, selectedByUser);
  }, [selected, selectedByUser]);
  const classNames = [
    selected ? 'is-selected' : '',
    isMatch ? 'is-hit' : '',
    isFar ? 'is-far' : '',
    check ? `is-${check.outcome}` : '',
  ].join(' ');
  return (
    <div ref={ref} className={`line ${classNames}`} style={{ paddingInlineStart: `${line.depth * 2 + 1}ch` }}>
      <code>
        {line.tokens.map(({ text, kind }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces never change places
          <span key={index} className={`j-${kind}`}>
            {text}
          </span>
        ))}
      </code>
      {check ? (
        <button type="button" className="judged" onClick={() => onSelectCheck(check.line)}>
          ← line {check.line}
          {check.outcome === 'failed' ? ` expects ${check.expected ?? check.text}` : ' ✓'}
        </button>
      ) : null}
    </div>
  );
});
