import { Link } from 'wouter';

type PageTabsProps = {
  /** Accessible name of the list. */
  readonly label: string;
  readonly pages: readonly (readonly [name: string, title: string, ...more: readonly unknown[]])[];
  /** Name of the displayed page. */
  readonly current: string;
  readonly toPath: (name: string) => string;
};

/** Links between sibling pages, above their content. */
export function PageTabs({ label, pages, current, toPath }: PageTabsProps) {
  return (
    <nav aria-label={label} className="page-tabs">
      {pages.map(([name, title]) => (
        <Link key={name} href={toPath(name)} aria-current={name === current ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
