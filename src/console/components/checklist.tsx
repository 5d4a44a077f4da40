import { Link } from 'wouter';
import { StatusIcon } from './status-icon.tsx';

export type ChecklistStep = {
  readonly text: string;
  /** The page where it is done; without it the reader cannot do the step. */
  readonly href?: string | undefined;
  readonly isDone: boolean;
};

/** Steps in their order, each marked as done or to do. A step to do leads to the page where it is done. */
export function Checklist({ steps }: { steps: readonly ChecklistStep[] }) {
  return (
    <ol className="checklist">
      {steps.map(({ text, href, isDone }) => (
        <li key={text}>
          <StatusIcon status={isDone ? 'passed' : 'queued'} title={isDone ? 'done' : 'to do'} />{' '}
          {isDone || href === undefined ? (
            <span className={isDone ? 'faint' : undefined}>{text}</span>
          ) : (
            <Link href={href}>{text}</Link>
          )}
        </li>
      ))}
    </ol>
  );
}
