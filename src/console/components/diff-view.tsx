import { useMemo } from 'react';
import { diffLines, excerptDiff } from '../text/line-diff.ts';

const signs = { same: ' ', added: '+', removed: '−' } as const;

/** A unified diff of two texts. Changed lines have a sign as well as a colour. */
export function DiffView({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => excerptDiff(diffLines(before, after)), [before, after]);
  if (before === after) return <p className="faint">No differences.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className="diff" aria-label={label} tabIndex={0}>
      {lines.map((line, index) =>
        line === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
          <div key={index} className="diff-gap">
            ⋯
          </div>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
          <div key={index} className={`diff-line is-${line.kind}`}>
            <span className="line-number">{line.after ?? line.before}</span>
            <span className="diff-sign">{signs[line.kind]}</span>
            <code>{line.text}</code>
          </div>
        ),
      )}
    </section>
  );
}
