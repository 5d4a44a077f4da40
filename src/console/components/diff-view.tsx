import { type ReactNode, useMemo } from 'react';
import { diffTexts, excerptDiff } from '../../diff/line-diff.ts';

const signs = { same: ' ', added: '+', removed: '−' } as const;

type DiffLineProps = {
  readonly kind: keyof typeof signs;
  readonly number: number | undefined;
  readonly children: ReactNode;
};

export function DiffLineView({ kind, number, children }: DiffLineProps) {
  return (
    <div className={`diff-line is-${kind}`}>
      <span className="line-number">{number}</span>
      <span className="diff-sign">{signs[kind]}</span>
      <code>{children}</code>
    </div>
  );
}

/** A unified diff of two texts. Changed lines have a sign as well as a colour. */
export function DiffView({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => excerptDiff(diffTexts(before, after)), [before, after]);
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
          <DiffLineView key={index} kind={line.kind} number={line.after ?? line.before}>
            {line.text}
          </DiffLineView>
        ),
      )}
    </section>
  );
}
