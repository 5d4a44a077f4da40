import type { ReactNode } from 'react';

type EmptyStateProps = {
  readonly title: string;
  /** The title is the heading of the page. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
};

/** Says what is missing and what the next step is. */
export function EmptyState({ title, isPage = false, children }: EmptyStateProps) {
  return (
    <div className="empty">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}
