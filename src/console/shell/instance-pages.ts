/** The pages of an environment: their links, what the palette calls them, and the key after `g` that leads there. */
import {
  comparePath,
  coveragePath,
  healthPath,
  instancePath,
  runsPath,
  scenariosPath,
  schedulesPath,
  statusPagesPath,
  suitesPath,
} from '../paths.ts';

type PagePath = (instance: string) => string;

type InstancePage = {
  readonly toPath: PagePath;
  /** Of its link in the navigation; a page without one is reached from `parent`, or from the environments. */
  readonly linkText?: string;
  readonly parent?: PagePath;
  /** Followed by `of` or `in` and the environment. */
  readonly title: string;
  readonly key: string;
  readonly help: string;
};

const needsALook: InstancePage = {
  toPath: instancePath,
  linkText: 'Needs a look',
  title: 'What needs a look in',
  key: 'f',
  help: 'failures: what needs a look',
};
const runs: InstancePage = { toPath: runsPath, linkText: 'Runs', title: 'Runs of', key: 'r', help: 'runs' };

/** In the order of the navigation. */
export const instancePages: readonly InstancePage[] = [
  needsALook,
  runs,
  { toPath: suitesPath, linkText: 'Suites', title: 'Suites of', key: 'u', help: 'suites' },
  { toPath: scenariosPath, linkText: 'Scenarios', title: 'Scenarios of', key: 's', help: 'scenarios' },
  { toPath: schedulesPath, linkText: 'Schedules', title: 'Schedules of', key: 't', help: 'schedules' },
  {
    toPath: comparePath,
    parent: instancePath,
    title: 'Compare runs of',
    key: 'c',
    help: 'compare versions, branches, periods',
  },
  { toPath: healthPath, parent: instancePath, title: 'Health of scenarios of', key: 'l', help: 'health of scenarios' },
  { toPath: coveragePath, parent: scenariosPath, title: 'Coverage of', key: 'v', help: 'coverage of an API document' },
  { toPath: statusPagesPath, title: 'Status pages of', key: 'b', help: 'badges and status pages' },
];

/** The page of an environment that is at `path`, or that the page there belongs to; undefined for other pages. */
export function findInstancePage(path: string, instance: string): InstancePage | undefined {
  if (path.startsWith('/runs/')) return runs;
  const others = instancePages.filter((page) => page !== needsALook);
  const isAt = ({ toPath }: InstancePage): boolean => `${path}/`.startsWith(`${toPath(instance)}/`);
  return others.find(isAt) ?? (isAt(needsALook) ? needsALook : undefined);
}

/** What marks the link to `page` at `path`: it is the page there, or the page there is below it. */
export function getLinkState(page: InstancePage, path: string, instance: string): 'page' | 'true' | undefined {
  if (path === page.toPath(instance)) return 'page';
  const current = findInstancePage(path, instance);
  return current && (current.parent ?? current.toPath) === page.toPath ? 'true' : undefined;
}
