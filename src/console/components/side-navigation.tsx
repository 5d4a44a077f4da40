import type { ReactNode } from 'react';
import { Link } from 'wouter';

type SideNavigationProps = {
  /** Accessible name of the list. */
  readonly label: string;
  readonly pages: readonly (readonly [name: string, title: string, ...more: readonly unknown[]])[];
  /** Name of the displayed page. */
  readonly current: string;
  readonly toPath: (name: string) => string;
  readonly children: ReactNode;
};

/** A page with a list of its sibling pages at the side. */
export function SideNavigation({ label, pages, current, toPath, children }: SideNavigationProps) {
  return (
    <div className="settings">
      <nav aria-label={label} className="side">
        {pages.map(([name, title]) => (
          <Link key={name} href={toPath(name)} aria-current={name === current ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      <div>{children}</div>
    </div>
  );
}
