/** The pages of an environment: what the palette calls them, and the key after `g` that leads there. */
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

type InstancePage = {
  readonly toPath: (instance: string) => string;
  /** Followed by `of` or `in` and the environment. */
  readonly title: string;
  readonly key: string;
  readonly help: string;
};

export const instancePages: readonly InstancePage[] = [
  { toPath: instancePath, title: 'What needs a look in', key: 'f', help: 'failures: what needs a look' },
  { toPath: runsPath, title: 'Runs of', key: 'r', help: 'runs' },
  { toPath: suitesPath, title: 'Suites of', key: 'u', help: 'suites' },
  { toPath: scenariosPath, title: 'Scenarios of', key: 's', help: 'scenarios' },
  { toPath: schedulesPath, title: 'Schedules of', key: 't', help: 'schedules' },
  { toPath: comparePath, title: 'Compare runs of', key: 'c', help: 'compare versions, branches, periods' },
  { toPath: healthPath, title: 'Health of scenarios of', key: 'l', help: 'health of scenarios' },
  { toPath: coveragePath, title: 'Coverage of', key: 'v', help: 'coverage of an API document' },
  { toPath: statusPagesPath, title: 'Status pages of', key: 'b', help: 'badges and status pages' },
];
