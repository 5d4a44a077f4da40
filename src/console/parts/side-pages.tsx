import type { ReactNode } from 'react';
import { Link } from 'wouter';

type SidePagesProps = {
  /** Of the list, for those who listen. */
  readonly label: string;
  readonly pages: readonly (readonly [name: string, title: string, ...more: readonly unknown[]])[];
  /** The name of the one that is shown. */
  readonly shown: string;
  readonly pathOf: (name: string) => string;
  readonly children: ReactNode;
};

/** A page beside the list of those it is one of. */
export function SidePages({ label, pages, shown, pathOf, children }: SidePagesProps) {
  return (
    <div className="settings">
      <nav aria-label={label} className="side">
        {pages.map(([name, title]) => (
          <Link key={name} href={pathOf(name)} aria-current={name === shown ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      <div>{children}</div>
    </div>
  );
}
